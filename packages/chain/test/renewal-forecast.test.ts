import { expect, it } from 'vitest';
import { renewalForecast } from '../src/renewal-forecast.ts';
import { costAlone, costQuilted } from '../src/storage-cost.ts';

const tariff = { storage: 100_000n, write: 20_000n, nShards: 1000 };
const twoWeeks = 14 * 86_400_000;

it('counts the renewals of a year, each as storing everything again', () => {
  const found = renewalForecast({ memoryCount: 1000, storageBytes: 1_600_000 }, 2, tariff, twoWeeks)!;
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
  expect(found).toMatchObject({ epochs: 2, perQuilt: 100 });
});

it('is absent without memories', () => {
  expect(renewalForecast({ memoryCount: 0, storageBytes: 0 }, 2, tariff, twoWeeks)).toBeUndefined();
});
