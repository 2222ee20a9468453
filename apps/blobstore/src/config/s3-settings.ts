import type { S3Options } from '../storage/s3/s3-options.ts';
import type { Settings } from './settings.ts';

/** S3's naming rules, so that a name is never interpreted as part of a path. */
const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Path segments of plain characters. Keys below the prefix use up to 200 of S3's 1024 characters. */
const prefixPattern = /^[\w.-]+(\/[\w.-]+)*$/;
const maxPrefixLength = 500;

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The bucket for the blobs, or undefined if they are stored on disk. */
export function s3SettingsOf(settings: Settings): { s3?: S3Options } {
  const bucket = settings.checked('s3-bucket', (text) =>
    bucketPattern.test(text) ? undefined : 'the name of a bucket',
  );
  const prefix = settings.checked('s3-prefix', (text) =>
    prefixPattern.test(text) && text.length <= maxPrefixLength
      ? undefined
      : 'letters, digits, `.`, `-` and `_`, with single slashes between them',
  );
  const endpoint = settings.checked('s3-endpoint', (text) =>
    isHttpUrl(text) ? undefined : 'an http or https URL',
  );
  const region = settings.text('s3-region');
  const forcePathStyle = settings.on('s3-force-path-style');
  if (!settings.has('s3-bucket')) {
    const others = ['s3-prefix', 's3-endpoint', 's3-region', 's3-force-path-style'] as const;
    if (others.some((flag) => settings.has(flag)))
      settings.problem(
        'BLOBSTORE_S3_BUCKET (--s3-bucket) must name the bucket that the other S3 settings are for',
      );
    return {};
  }
  return {
    s3: {
      bucket: bucket ?? '',
      ...(prefix === undefined ? {} : { prefix }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      forcePathStyle,
    },
  };
}
