import type { Need } from './needs.ts';
import type { Session } from './session.ts';

/** One statement about the wire. */
export interface Row {
  /** Its source: a section of the facts about release 1.56, or `ours` */
  section: string;
  name: string;
  /** `ours`: behaviour in which this store differs on purpose; `walrus`: what the real services do instead */
  only?: 'ours' | 'walrus';
  needs: readonly Need[];
  /** Throws if the statement does not hold. */
  check: (session: Session) => Promise<void>;
}

type Check = Row['check'];

/** Creates the rows of one section. */
export function section(name: string, needs: readonly Need[]) {
  const rows: Row[] = [];
  const add =
    (only: Row['only']) =>
    (title: string, check: Check, more: readonly Need[] = []) => {
      rows.push({
        section: name,
        name: title,
        ...(only === undefined ? {} : { only }),
        needs: [...needs, ...more],
        check,
      });
    };
  return { rows, row: add(undefined), ours: add('ours'), walrus: add('walrus') };
}
