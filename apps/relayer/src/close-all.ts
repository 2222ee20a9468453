/** Closes the part that was opened last first. A part that fails to close does not keep the others open. */
export async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse())
    await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close');
}
