import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import { signedRouteOf } from '../http/route.ts';
import type { Bucket, BucketState, Buckets } from './buckets.ts';

/** Units of the weights of routes (`cost`); Infinity for no limit. */
export interface RequestLimitUnits {
  /** RATE_LIMIT_KEY_PER_MINUTE */
  keyPerMinute: number;
  /** RATE_LIMIT_PER_MINUTE */
  ownerPerMinute: number;
  /** RATE_LIMIT_PER_HOUR */
  ownerPerHour: number;
}

export interface RequestLimits {
  /**
   * Takes the cost of the request's route from the budgets of its key and owner, and sets `RateLimit` and
   * `RateLimit-Policy`. Throws `rate_limited`, and has taken nothing then.
   */
  take(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Takes the cost per fact of the request's route. Never throws: the request has been served. */
  takeFacts(request: FastifyRequest, facts: number): Promise<void>;
}

interface Limit extends Bucket {
  /** As in the headers */
  name: string;
}

/** What one request may take from, in the order in which the headers name it. */
function limitsOf(units: RequestLimitUnits, { account, publicKey }: Caller): Limit[] {
  const { owner } = account;
  const all: Limit[] = [
    { name: 'key', key: `key:${publicKey}`, units: units.keyPerMinute, seconds: 60 },
    { name: 'owner', key: `owner:${owner}`, units: units.ownerPerMinute, seconds: 60 },
    { name: 'owner-hour', key: `owner-hour:${owner}`, units: units.ownerPerHour, seconds: 3_600 },
  ];
  return all.filter((limit) => Number.isFinite(limit.units));
}

export function createRequestLimits(units: RequestLimitUnits, buckets: Buckets): RequestLimits {
  return {
    async take(caller, request, reply) {
      const cost = signedRouteOf(request)?.cost ?? 0;
      const limits = limitsOf(units, caller);
      if (cost === 0 || limits.length === 0) return;
      const states = await buckets.take(limits, cost);
      reply.header('ratelimit-policy', policyHeader(limits));
      reply.header('ratelimit', stateHeader(limits, states));
      const refusals = limits.map((limit, i) => ({ limit, wait: states[i]!.waitSeconds }));
      const longest = refusals.reduce((a, b) => (b.wait > a.wait ? b : a));
      if (longest.wait > 0) throw refusal(longest.limit, cost, longest.wait);
    },
    async takeFacts(request, facts) {
      const cost = (signedRouteOf(request)?.costPerFact ?? 0) * facts;
      const limits = limitsOf(units, request.caller);
      if (cost > 0 && limits.length > 0) await buckets.take(limits, cost, true);
    },
  };
}

function refusal({ name, units, seconds }: Limit, cost: number, waitSeconds: number): ApiError {
  return new ApiError('rate_limited', {
    retryAfter: Math.max(1, Math.ceil(waitSeconds)),
    details: { limit: name, units, window_seconds: seconds, cost },
  });
}

/** draft-ietf-httpapi-ratelimit-headers-10: quota and window of each limit. */
function policyHeader(limits: readonly Limit[]): string {
  return limits.map(({ name, units, seconds }) => `"${name}";q=${units};w=${seconds}`).join(', ');
}

/** What is left of each limit, and the seconds until it is full again. */
function stateHeader(limits: readonly Limit[], states: readonly BucketState[]): string {
  return limits
    .map(({ name }, i) => `"${name}";r=${states[i]!.left};t=${Math.ceil(states[i]!.fullInSeconds)}`)
    .join(', ');
}
