import { type ForecastPicture, forecastChart } from './forecast-chart.ts'

/**
 * Returns an SVG document. Runs in a worker thread, because loading Observable Plot blocks for 250
 * ms.
 */
export function run(picture: ForecastPicture): string {
  return forecastChart(picture)
}
