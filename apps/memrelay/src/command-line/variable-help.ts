import { variableSections } from '@memrelay/protocol/variables';
import { defaultText, formText } from '@memrelay/protocol/variables/form-text';

/** The variables that a relayer and its sidecar read, by section, for `--help`. */
export function variableHelp(): string {
  const sections = variableSections.flatMap(({ title, variables }) => {
    const lines = Object.entries(variables)
      .filter(([, { readBy }]) => readBy.includes('relayer') || readBy.includes('sidecar'))
      .map(([name, variable]) => {
        const standard = defaultText(variable);
        return `  ${name.padEnd(36)}${formText(variable.form)}${standard ? ` (default: ${standard})` : ''}`;
      });
    return lines.length > 0 ? [`\n${title}:\n${lines.join('\n')}`] : [];
  });
  return `\nVariables, which docs/configuration.md explains:\n${sections.join('\n').replaceAll('`', '')}`;
}
