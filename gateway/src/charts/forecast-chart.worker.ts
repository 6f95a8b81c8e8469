import { type ForecastPicture, forecastChart } from './forecast-chart.ts'

/** What runs in a worker thread: the library alone takes a quarter of a second to load. */
export function run(picture: ForecastPicture): string {
  return forecastChart(picture)
}
