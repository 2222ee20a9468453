/** Waits for room for this many bytes, which are then held until the request has ended. Throws `overloaded`. */
export type Hold = (bytes: number) => Promise<void>;
