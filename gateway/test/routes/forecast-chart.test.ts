import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { GetForecastResponseSchema } from '@coffer/proto/budgeting/v1/forecast'
import { afterEach, expect, test } from '@jest/globals'
import { SaxesParser } from 'saxes'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const url = `${accountUrl}/forecast`
const at = (day: string) => timestampFromDate(new Date(`${day}T05:00Z`))
const hostile = '</title><script>alert(1)</script> & "Söhne"'

const event = (day: string, contribution: bigint, transaction: bigint, balance: bigint) => {
  const date = at(day)
  const { fundingScheduleId, spendingId } = ids
  const amounts = { contributionAmount: contribution, transactionAmount: transaction }
  const fired = contribution > 0n ? [{ date, originalDate: date, fundingScheduleId }] : []
  const spending = [{ date, ...amounts, spendingId, funding: fired }]
  const delta = contribution - transaction
  return { date, delta, contribution, transaction, balance, spending, funding: fired }
}

const labels = {
  currency: 'EUR',
  timezone: 'America/Chicago',
  locale: 'de_DE',
  scheduleNames: { [ids.fundingScheduleId]: hostile },
  spendingNames: { [ids.spendingId]: 'Miete <b>' },
}
const answer: MessageInitShape<typeof GetForecastResponseSchema> = {
  forecast: {
    startingTime: at('2026-09-01'),
    endingTime: at('2026-10-20'),
    startingBalance: 100_000n,
    endingBalance: -50n,
    events: [event('2026-09-15', 150_000n, 0n, 250_000n), event('2026-10-01', 0n, 250_050n, -50n)],
    free: [
      { date: at('2026-09-01'), free: 5000n },
      { date: at('2026-09-15'), deposit: 200_000n, contribution: 150_000n, free: 55_000n },
    ],
  },
  labels,
}

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

async function draw(sent: MessageInitShape<typeof GetForecastResponseSchema>) {
  gateway = await createGateway({ forecasts: { getForecast: () => sent } })
  return gateway.send('GET', url, { headers: { accept: 'image/svg+xml' } })
}

/** Returns the names of a document's elements, and its texts. Throws if it is malformed. */
function read(document: string) {
  const names = new Set<string>()
  const texts: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    names.add(name)
    for (const attribute of Object.keys(attributes)) expect(attribute).not.toMatch(/^on|href/)
  })
  parser.on('text', (text) => texts.push(text))
  parser.on('error', (error) => {
    throw error
  })
  parser.write(document).close()
  return { names, texts }
}

test('a forecast as SVG has no scripts, and names are escaped', async () => {
  const { status, headers, text } = await draw(answer)
  expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  const { names, texts } = read(text)
  expect(names).not.toContain('script')
  expect(names).not.toContain('b')
  const euros = (amount: string) => `${amount}\u00a0€`
  expect(texts).toEqual(expect.arrayContaining(['Funding', 'Due', 'In envelopes', 'Free to use']))
  expect(texts).toEqual(expect.arrayContaining([euros('-0,50'), euros('550,00')]))
  expect(texts).toContain(`15.09.2026: ${euros('1.500,00')}\n${hostile}`)
  expect(texts).toContain(`01.10.2026: ${euros('2.500,50')}\nMiete <b>`)
  expect(text).toContain('prefers-color-scheme: dark')
})

test('without style sheets, the colours are those of light mode', async () => {
  const { text } = await draw(answer)
  const drawn = text.replace(/<style>[^<]*<\/style>/, '')
  expect(drawn).not.toMatch(/var\(|class="[^"]*"[^>]*style=/)
  expect(drawn).toMatch(/^<svg[^>]*><rect[^>]* fill="#ffffff"/)
  const lines = [...drawn.matchAll(/<g [^>]*aria-label="line"[^>]*>/g)].map(([line]) => line)
  expect(lines).toEqual([
    expect.stringContaining('stroke="#1a7f37"'),
    expect.stringContaining('stroke="#0969da"'),
  ])
})

test('a bank account without plans has a chart, too', async () => {
  const free = [{ date: at('2026-09-01'), free: 0n }]
  const span = { startingTime: at('2026-09-01'), endingTime: at('2026-09-01') }
  const { status, text } = await draw({ forecast: { ...span, free }, labels })
  expect(status).toBe(200)
  expect(read(text).texts).toContain('In envelopes')
})

// `Accept` of Chromium and Firefox: for an `img` of a page, then for a typed address.
test.each([
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image/svg+xml'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['application/json, image/svg+xml;q=0.5', 'application/json'],
  ['image/svg+xml;q=0, */*', 'application/json'],
  ['text/plain', 'application/json'],
])('Accept: %s gets %s', async (accept, type) => {
  gateway = await createGateway({ forecasts: { getForecast: () => answer } })
  const { status, headers } = await gateway.send('GET', url, { headers: { accept } })
  expect([status, headers.vary]).toEqual([200, 'accept-encoding, accept'])
  expect(headers['content-type']).toBe(`${type}; charset=utf-8`)
})

test('the OpenAPI document has both media types', async () => {
  gateway = await createGateway({})
  const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
  const { content } = body.paths['/api/bank_accounts/{bankAccountId}/forecast'].get.responses[200]
  expect(Object.keys(content)).toEqual(['application/json', 'image/svg+xml'])
})

test('a chart that waits or is drawn too long is 503', async () => {
  const module = new URL('../stuck.worker.ts', import.meta.url)
  const drawing = { module, waitTimeoutMs: 100, taskTimeoutMs: 1_000 }
  gateway = await createGateway({ forecasts: { getForecast: () => answer } }, {}, { drawing })
  const ask = () => gateway.send('GET', url, { headers: { accept: 'image/svg+xml' } })
  const refused = await Promise.all([ask(), ask()])
  expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [503, '1'],
    [503, '1'],
  ])
  expect(refused.map(({ body }) => body.error).toSorted()).toEqual([
    'the chart takes too long: send an earlier `end`',
    'the queue for such requests is full: send the request again in a second',
  ])
})
