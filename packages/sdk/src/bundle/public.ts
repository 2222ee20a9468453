/** `@memrelay/sdk/bundle`: all memories as one encrypted file. */
export { isBundle } from './bundle-key.ts';
export { type ExportClient, type ExportOptions, type ExportProgress, exportBundle } from './export-bundle.ts';
export { type ImportClient, type ImportedPart, type ImportOptions, importBundle } from './import-bundle.ts';
export { type Bundle, openBundle } from './open-bundle.ts';
export { type BundlePosition, resumeBundle } from './resume-bundle.ts';
