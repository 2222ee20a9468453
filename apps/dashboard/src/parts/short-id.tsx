/** An id, shortened in the middle; the tooltip has all of it. */
export function ShortId({ id }: { id: string }) {
  return (
    <code className="id" title={id}>
      {shortened(id)}
    </code>
  );
}

export function shortened(id: string): string {
  return id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}
