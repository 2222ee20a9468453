/** A system prompt. `version` must change whenever `text` does (a test checks this); `/health` reports it. */
export interface Prompt {
  version: string;
  text: string;
}
