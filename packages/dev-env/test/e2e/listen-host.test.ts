import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { PartStartError } from '@memrelay/protocol/start-part';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer } from '../../src/test-relayer.ts';

/** A relayer that is reached from outside its machine or container. */

let network: TestNetwork;
let backend: TestBackend;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});
