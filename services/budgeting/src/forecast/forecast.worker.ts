import { type Forecast, type ForecastInput, forecast } from './forecast.ts'

/** Calculates a forecast in a worker thread, since a large one would block the event loop. */
export function run(input: ForecastInput): Forecast {
  return forecast(input)
}
