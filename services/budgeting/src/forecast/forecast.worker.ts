import { type Forecast, type ForecastInput, forecast } from './forecast.ts'

/** Entry point of the worker thread: large forecasts would block the event loop. */
export function run(input: ForecastInput): Forecast {
  return forecast(input)
}
