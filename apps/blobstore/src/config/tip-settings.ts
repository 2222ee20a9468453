import { parseObjectId } from '../base/ids.ts';
import type { Tip, TipKind } from '../upload-relay/tip.ts';
import type { Settings } from './settings.ts';

/** As in the real relay's example. */
const defaultFreshnessMs = 36_000_000;
const kindFlags = ['tip-const', 'tip-linear-base', 'tip-linear-per-kib'] as const;

function kindOf(settings: Settings): TipKind {
  const amount = (flag: (typeof kindFlags)[number]) => settings.number(flag, 0, 0, Number.MAX_SAFE_INTEGER);
  if (settings.has('tip-const')) return { const: amount('tip-const') };
  return { linear: { base: amount('tip-linear-base'), perEncodedKib: amount('tip-linear-per-kib') } };
}

/** The upload relay's tip; undefined when uploads are free. */
export function tipSettingsOf(settings: Settings): Tip | undefined {
  const text = settings.checked('tip-address', (value) =>
    parseObjectId(value) === undefined ? 'an address of 0x and 64 hex digits' : undefined,
  );
  const freshnessMs = settings.duration('tip-freshness') ?? defaultFreshnessMs;
  const kinds = kindFlags.filter((flag) => settings.has(flag));
  if (!settings.has('tip-address')) {
    if (kinds.length > 0)
      settings.problem('BLOBSTORE_TIP_ADDRESS (--tip-address) must name the address that receives the tip');
    return undefined;
  }
  if (kinds.length === 0 || (kinds.includes('tip-const') && kinds.length > 1)) {
    settings.problem('a tip is either --tip-const, or --tip-linear-base and --tip-linear-per-kib');
  }
  return { address: parseObjectId(text ?? '') ?? '', kind: kindOf(settings), freshnessMs };
}
