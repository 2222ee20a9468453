import type { LocalModel } from './local-model.ts';

/** What a model thread is started with. */
export interface ModelThreadData {
  model: LocalModel;
  /** Whether this process optimizes WebAssembly: the thread sets it back after it has loaded the runtime */
  optimizesWasm: boolean;
}

export interface ModelRequest {
  id: number;
  prefix: string;
  text: string;
}

/** `failed`: the model could not be loaded, and the thread ends. */
export type ModelReply =
  | { id: number; vector: Float32Array }
  | { id: number; error: string }
  | { failed: string };
