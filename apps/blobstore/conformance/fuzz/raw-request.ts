import { once } from 'node:events';
import { connect } from 'node:net';
import type { Random } from './random.ts';

const requests = [
  'GET /v1/blobs/AAAA HTTP/1.1\r\nhost: x\r\nrange: bytes=0-1\r\n\r\n',
  'PUT /v1/blobs?epochs=1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello',
  'PUT /v1/blobs HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'PUT /v1/quilts HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: multipart/form-data; boundary=x\r\n' +
    'content-length: 64\r\n\r\n--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nhello\r\n--x--\r\n',
];

/** The bytes of a request with some of them changed. The result may not be valid HTTP. */
export function rawRequest(random: Random): Buffer {
  const bytes = Buffer.from(random.pick(requests));
  for (let changes = random.below(4); changes > 0; changes -= 1) {
    bytes[random.below(bytes.length)] = random.pick([0, 10, 13, 32, 58, random.below(256)]);
  }
  return random.oneIn(4) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

/** Sends the bytes, ends the connection, and returns everything received until the server closes it. */
export async function exchangeRaw(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.end(bytes);
  await once(socket, 'close');
  return answer;
}
