import { usePlace } from '../parts/location.ts';
import { AccountAccess } from './account-access.tsx';
import { MemoryAccess } from './memory-access.tsx';

/** Where memories are and who can read them: of one memory, or of the account. */
export function AccessPage() {
  const { parameters } = usePlace();
  const id = parameters.get('memory');
  return id === null ? (
    <AccountAccess />
  ) : (
    <MemoryAccess key={id} id={id} namespace={parameters.get('namespace') ?? 'default'} />
  );
}
