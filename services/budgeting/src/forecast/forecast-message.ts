import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  type ForecastEvent as EventMessage,
  ForecastEventSchema,
  type Forecast as ForecastMessage,
  ForecastSchema,
  FreeToUseSchema,
  FundingEventSchema,
  type FundingEvent as FundingMessage,
  SpendingEventSchema,
} from '@coffer/proto/budgeting/v1/forecast'
import type { Forecast, ForecastEvent } from './forecast.ts'
import type { FundingEvent } from './forecast-fundings.ts'

/** Cache of messages: hundreds of envelopes share the same firings and instants. */
type Shared = { instants: Map<number, Timestamp>; fundings: Map<FundingEvent, FundingMessage> }

/** Converts a forecast to its message. */
export function toForecastMessage(forecast: Forecast): ForecastMessage {
  const shared: Shared = { instants: new Map(), fundings: new Map() }
  const { startingBalance, endingBalance } = forecast
  return create(ForecastSchema, {
    startingBalance,
    endingBalance,
    startingTime: instant(shared, forecast.startingTime),
    endingTime: instant(shared, forecast.endingTime),
    events: forecast.events.map((event) => eventMessage(shared, event)),
    free: forecast.free.map((one) =>
      create(FreeToUseSchema, { ...one, date: instant(shared, one.date) }),
    ),
  })
}

function eventMessage(shared: Shared, event: ForecastEvent): EventMessage {
  const { delta, contribution, transaction, balance } = event
  const date = instant(shared, event.date)
  return create(ForecastEventSchema, {
    date,
    delta,
    contribution,
    transaction,
    balance,
    spending: event.spending.map((one) => {
      const funding = one.funding.map((each) => fundingMessage(shared, each))
      return create(SpendingEventSchema, { ...one, date, funding })
    }),
    funding: event.funding.map((one) => fundingMessage(shared, one)),
  })
}

function fundingMessage(shared: Shared, event: FundingEvent): FundingMessage {
  const known = shared.fundings.get(event)
  if (known) return known
  const message = create(FundingEventSchema, {
    ...event,
    date: instant(shared, event.date),
    originalDate: instant(shared, event.originalDate),
  })
  shared.fundings.set(event, message)
  return message
}

function instant({ instants }: Shared, date: Date): Timestamp {
  const at = date.getTime()
  const known = instants.get(at)
  if (known) return known
  const message = timestampFromDate(date)
  instants.set(at, message)
  return message
}
