import fc from 'fast-check'

const eventTypes = ['updated', 'created', 'deleted'].map((verb) => `customer.subscription.${verb}`)

/** Generates webhook messages as JSON, most of them with the shape of a Stripe event. */
export const stripeMessages: fc.Arbitrary<string> = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        id: fc.oneof(fc.string(), fc.constantFrom('evt_1', 'evt_\0', '\ud800', 'x'.repeat(9_000))),
        object: fc.constant('event'),
        type: fc.constantFrom(...eventTypes, 'customer.deleted', 'invoice.paid', ''),
        created: fc.oneof(fc.nat(), fc.jsonValue()),
        data: fc.oneof(
          fc.record({
            object: fc.record({
              id: fc.string(),
              customer: fc.constantFrom('cus_x', 'cus_\0', ''),
            }),
          }),
          fc.jsonValue(),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  .map((event) => JSON.stringify(event))
