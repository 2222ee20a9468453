import { createHash } from 'node:crypto';
import { renderMermaidSVG } from 'beautiful-mermaid';

/** Colours of the theme, so that a diagram follows the light and the dark one. */
const colours = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-2)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
};

/** A Mermaid diagram as SVG that needs no script. */
export function diagramHtml(source: string): string {
  // The same in every rendering, so that the page in the browser equals the one that was built
  const id = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const svg = renderMermaidSVG(source, { ...colours, font: 'inherit', transparent: true })
    // The rules are in theme/style.css: Vue removes styles from pages, and these load a font from another server
    .replace(/<style>[\s\S]*?<\/style>/, '')
    // Markers are global in a page
    .replaceAll(/(id="|url\(#|href="#)/g, `$1d${id}-`);
  const label = `Diagram: ${labelsOf(source).join(', ')}`;
  return `<div class="diagram" tabindex="0" role="img" aria-label="${escaped(label)}">${svg}</div>\n`;
}

/** The names in a diagram, for those who do not see it. */
function labelsOf(source: string): string[] {
  const labels = [...source.matchAll(/\["([^"]+)"\]|\[\("([^"]+)"\)\]|participant \w+ as (.+)/g)];
  return labels.map(([, box, store, participant]) =>
    (box ?? store ?? participant ?? '').replaceAll('<br/>', ' '),
  );
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
