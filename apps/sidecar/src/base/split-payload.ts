import { ApiError } from '@memrelay/protocol/errors';

/** Cuts the payload of a frame into parts of these lengths, as views. Throws `invalid_request` unless they add up. */
export function splitPayload(payload: Uint8Array, lengths: readonly number[]): Buffer[] {
  const whole = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  let end = 0;
  const parts = lengths.map((length) => {
    end += length;
    return whole.subarray(end - length, end);
  });
  if (end !== whole.length)
    throw new ApiError('invalid_request', {
      message: `The lengths in the head of the frame add up to ${end} bytes, but its payload has ${whole.length}.`,
    });
  return parts;
}
