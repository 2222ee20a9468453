import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import { describe, expect, it } from 'vitest';
import { forecast } from '../src/cost/forecast.ts';
import { forecastJson, forecastLine } from '../src/cost/show-forecast.ts';
import { costAlone, costQuilted } from '../src/cost/storage-cost.ts';

const tariff: WalrusTariff = {
  storage: 100_000n,
  write: 20_000n,
  nShards: 1000,
  epoch: 30,
  maxEpochsAhead: 53,
};
const days = (length: number) => (epoch: number) =>
  new Date(Date.UTC(2026, 0, 1) + epoch * length * 86_400_000);

describe('the forecast of renewals', () => {
  it('counts the renewals of a year, each as storing everything again', () => {
    const stats = { memoryCount: 1000, storageBytes: 1_600_000 };
    const found = forecast(stats, 2, tariff, days(14))!;
    expect(found.renewalsPerYear).toBeCloseTo(365.25 / 28, 6);
    const once = costAlone(1000, 1600, 2, tariff);
    expect(Number(found.aloneFrost)).toBeCloseTo(
      Number(once.storageFrost + once.writeFrost) * (365.25 / 28),
      -5,
    );
    const quilts = costQuilted(1000, 1600, 2, 100, tariff);
    expect(Number(found.quiltedFrost)).toBeCloseTo(
      Number(quilts.storageFrost + quilts.writeFrost) * (365.25 / 28),
      -5,
    );
    expect(found.quiltedFrost).toBeLessThan(found.aloneFrost);
    expect(forecastLine(found)).toMatch(
      /^Renewing all of this for a year costs about [\d.]+ WAL in quilts of 100/,
    );
    expect(forecastJson(found)).toMatchObject({ epochs: 2, renewals_per_year: 13.045, per_quilt: 100 });
  });

  it('is absent without memories or without the dates of epochs', () => {
    expect(forecast({ memoryCount: 0, storageBytes: 0 }, 2, tariff, days(14))).toBeUndefined();
    const stats = { memoryCount: 1, storageBytes: 1600 };
    expect(forecast(stats, 2, tariff, () => undefined)).toBeUndefined();
    expect(forecastLine(undefined)).toContain('There is no forecast');
    expect(forecastJson(undefined)).toBeNull();
  });
});
