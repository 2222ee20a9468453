/** Sizes and ranges of decisions.md, "Fields and limits". */
export const limits = {
  namespaceCharacters: 128,
  textBytes: 1_048_576,
  analyzeTextBytes: 65_536,
  queryBytes: 65_536,
  bulkItems: 20,
  encryptedDataBytes: 1_114_112,
  bodyBytes: 2 * 1024 * 1024,
  sponsorBodyBytes: 10 * 1024,
  sponsorExecuteBodyBytes: 4 * 1024,
  recallLimit: { default: 10, max: 100 },
  askLimit: { default: 5, max: 100 },
  restoreLimit: { default: 10, max: 500 },
  profileLimit: { default: 20, max: 100 },
  contextMemories: 3,
  listLimit: { default: 50, max: 100 },
  auditLimit: { default: 100, max: 500 },
  webhooksPerAccount: 10,
  webhookUrlCharacters: 2_048,
  webhookNamespaces: 16,
  deliveriesLimit: { default: 50, max: 200 },
} as const;

export const defaultNamespace = 'default';
/** Upload attempts before a job fails and an alert is posted. */
export const maxUploadAttempts = 5;
