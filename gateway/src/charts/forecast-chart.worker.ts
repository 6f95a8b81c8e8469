import { type ForecastPicture, forecastChart } from './forecast-chart.ts'

/** Returns an SVG document. Worker thread: loading Observable Plot blocks the thread for 250 ms. */
export function run(picture: ForecastPicture): string {
  return forecastChart(picture)
}
