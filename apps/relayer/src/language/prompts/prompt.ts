/** What tells the model its task. `version` changes whenever `text` does (a test holds them together); `/health` tells it. */
export interface Prompt {
  version: string;
  text: string;
}
