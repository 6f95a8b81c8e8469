import { type Forecast, type ForecastInput, forecast } from './forecast.ts'

/** What runs in a worker thread: forecasts that would hold up other requests. */
export function run(input: ForecastInput): Forecast {
  return forecast(input)
}
