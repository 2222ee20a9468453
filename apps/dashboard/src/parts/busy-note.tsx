/** Says what the page is waiting for. */
export function BusyNote({ text }: { text: string }) {
  return (
    <p className="busy-note" role="status">
      <span className="spinner" /> {text}
    </p>
  );
}
