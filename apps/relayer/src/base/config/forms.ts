import { isIP } from 'node:net';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { addressPattern } from '@memrelay/protocol/address';
import { parseAllowedHost } from '@memrelay/protocol/host-rules';
import { logFilterProblem } from '@memrelay/protocol/log-filter';
import { z } from 'zod';

/** Forms that several environment variables share. No message repeats a value: it may be a secret. */

export const text = z.string();

export const flag = z
  .string()
  .toLowerCase()
  .refine((value) => ['true', 'false', '1', '0'].includes(value), { message: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1');

export const url = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    message: 'must be an http or https URL',
  });

/** A public URL: https unless on this machine, without a trailing slash. */
export const publicUrl = url
  .refine(
    (value) => {
      // Already reported
      if (!URL.canParse(value)) return true;
      const { protocol, hostname, username, search, hash } = new URL(value);
      const isSafe = protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
      return isSafe && username === '' && search === '' && hash === '';
    },
    { message: 'must be https, or on this machine, and without user, query and fragment' },
  )
  .transform((value) => new URL(value).href.replace(/\/+$/, ''));

export function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}

/** What a server listens on: an address, or a name of this machine. IPv6 also in brackets, as in URLs. */
export const listenHost = z
  .string()
  .transform((value) => /^\[(.+)\]$/.exec(value)?.[1] ?? value)
  .refine((value) => isIP(value) > 0 || (/^[a-z\d]([\w.-]*[\w])?$/i.test(value) && !isNumeric(value)), {
    message: 'must be an IP address or a host name, without a port; 0.0.0.0 or :: for all addresses',
  });

/** Looks like an IPv4 address but is not one. */
function isNumeric(value: string): boolean {
  return /^[\d.]+$/.test(value);
}

/** Names that `Host` may have. */
export const hostNames = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .refine((names) => names.length > 0 && names.every((name) => parseAllowedHost(name) !== undefined), {
    message: 'must be host names or addresses, each with an optional port, separated by commas',
  });

/** A secret that is sent in a header. */
export const headerSecret = (minLength: number) =>
  z
    .string()
    .regex(/^[!-~]+$/, 'must be visible ASCII characters, without spaces')
    .min(minLength, `must be at least ${minLength} characters`);

export const objectId = z.string().regex(addressPattern, 'must be 0x and 64 hex digits').toLowerCase();

export const hexKeys = z
  .string()
  .regex(
    /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/,
    'must be 64 hex digits, or several separated by commas, newest first',
  )
  .transform((value) => value.split(',').map((key) => Buffer.from(key, 'hex')));

export function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: `must be from ${min} to ${max}` });
}

/** The parts of a comma-separated list, without empty ones. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const privateKey = z
  .string()
  .refine(isPrivateKey, { message: 'must be an Ed25519 key: suiprivkey1… or 64 hex digits' });

export const privateKeys = list.refine((keys) => keys.every(isPrivateKey), {
  message: 'must be Ed25519 keys separated by commas, each suiprivkey1… or 64 hex digits',
});

function isPrivateKey(value: string): boolean {
  try {
    addressOfPrivateKey(value);
    return true;
  } catch {
    return false;
  }
}

/** RUST_LOG. */
export const logFilter = z.string().superRefine((value, context) => {
  const message = logFilterProblem(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** A number of uses, at least `min`; `off`, no limit at all, becomes Infinity. */
export function limitOrOff(min: number) {
  const message = `must be a whole number from ${min}, or off`;
  return z
    .string()
    .regex(/^(off|[1-9]\d{0,14})$/, message)
    .transform((value) => (value === 'off' ? Number.POSITIVE_INFINITY : Number(value)))
    .refine((value) => value >= min, { message });
}
