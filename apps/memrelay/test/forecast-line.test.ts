import { expect, it } from 'vitest';
import { forecastJson, forecastLine } from '../src/cost/forecast-line.ts';

it('shows the forecast of the relayer, or that there is none', () => {
  const found = {
    epochs: 2,
    renewalsPerYear: 13.045,
    perQuilt: 100,
    aloneFrost: '3000000000',
    quiltedFrost: '200000000',
  };
  expect(forecastLine(found)).toMatch(
    /^Renewing all of this for a year costs about 0\.2 WAL in quilts of 100, and at most 3 WAL/,
  );
  expect(forecastJson(found)).toMatchObject({ epochs: 2, renewals_per_year: 13.045, per_quilt: 100 });
  expect(forecastLine(undefined)).toContain('There is no forecast');
  expect(forecastJson(undefined)).toBeNull();
});
