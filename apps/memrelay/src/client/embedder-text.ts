/** The embedder that `/config` names, for a person. */
export function embedderText(model: string): string {
  return model.startsWith('lexical-') ? `built-in (${model}): by words and spelling, not by meaning` : model;
}
