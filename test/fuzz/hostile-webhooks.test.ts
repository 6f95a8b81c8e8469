import { started } from '@coffer/host/testing/started'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { linkItem, type PlaidHome, startPlaidWorld } from '../mesh/plaid-world.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'
import { isLong } from '../seed.ts'
import { exactJson } from './feed-oracle.ts'
import { type HostileWebhook, hostileWebhooks, rightBody } from './hostile-webhooks.ts'

const count = isLong ? 1_050 : 30
const timeoutMs = isLong ? 600_000 : 120_000
const atOnce = 10

let home: PlaidHome
let other: PlaidHome

const world = started(() =>
  startPlaidWorld({
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
  }),
)

beforeAll(async () => {
  home = await linkItem(world)
  other = await linkItem(world)
  for (const one of [home, other]) await one.sync()
})

interface Sent {
  status: number
  body: string | Buffer
  isGenuine: boolean
}

async function send({ code, change, token }: HostileWebhook): Promise<Sent> {
  const { body } = change(rightBody(home.item, code, new Date(Date.now() + 86_400_000)))
  // The hash of a token is about the text of a body.
  const { text, isGenuine } = token(body.toString(), world.plaid.webhooks.keys)
  const answer = await fetch(webhookUrl(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'plaid-verification': text },
    body: typeof body === 'string' ? body : new Uint8Array(body),
    signal: AbortSignal.timeout(30_000),
  })
  const shown = await answer.text()
  expect(shown).not.toContain(home.item.itemId)
  return { status: answer.status, body, isGenuine: isGenuine && typeof body === 'string' }
}

/** Statuses that an answer may have. A body with many levels or bytes may be refused. */
function statusesFor({ body, isGenuine }: Sent): number[] {
  const text = body.toString()
  const isJson = text.trim() === 'null' || exactJson(text) !== null
  const isHeavy = text.length > 50_000 || /[[{]{20}/.test(text)
  const refused = [400, 401, 413]
  if (!isGenuine) return typeof body === 'string' ? refused : [...refused, 200]
  return isHeavy ? [200, ...refused] : [isJson ? 200 : 400]
}

test(
  'hostile webhooks are refused or applied, and change no other link',
  async () => {
    const before = await other.state()
    const outcomes = new Map<number, number>()
    const webhooks = fc.sample(hostileWebhooks, count)
    for (let start = 0; start < count; start += atOnce) {
      const sent = await Promise.all(webhooks.slice(start, start + atOnce).map(send))
      for (const one of sent) {
        const seen = [one.status, one.isGenuine, one.body.toString().slice(0, 500)]
        if (!statusesFor(one).includes(one.status)) expect(seen).toEqual(statusesFor(one))
        outcomes.set(one.status, (outcomes.get(one.status) ?? 0) + 1)
      }
      const { status, errorCode } = await home.state()
      expect(['setup', 'error', 'pending_expiration', 'revoked']).toContain(status)
      expect(errorCode ?? 'NONE').toMatch(/^[A-Z][A-Z0-9_]{0,99}$/)
      expect((await home.health()).bankAccounts).toHaveLength(1)
    }
    process.stdout.write(`${count} hostile webhooks: ${JSON.stringify([...outcomes])}\n`)
    for (const status of [200, 401]) expect(outcomes.get(status)).toBeGreaterThan(count / 10)
    expect(await other.state()).toEqual(before)
  },
  timeoutMs,
)

test('hostile answers about keys are 401 or 424, and a right one is accepted', async () => {
  const { webhooks, fault } = world.plaid
  const path = /^\/webhook_verification_key\/get$/
  const answers = [
    plaidFaults.code('INTERNAL_SERVER_ERROR'),
    plaidFaults.code('INVALID_API_KEYS'),
    plaidFaults.cut(20),
    plaidFaults.invalidJson,
    plaidFaults.deep(5_000),
    plaidFaults.without('x'),
    plaidFaults.body('{"key":{"alg":"ES256","crv":"P-256","kty":"EC","kid":"a"}}'),
    plaidFaults.any((right) => ({ status: 200, body: right.replace(/"x":"./, '"x":"~') })),
    plaidFaults.any((right) => ({ status: 200, body: right.replace(/"y":".{4}/, '"y":"AAAA') })),
    plaidFaults.any((right) => ({ status: 200, body: right.replace('ES256', 'none') })),
    plaidFaults.any((right) => ({ status: 200, body: right.replace('P-256', 'P-384') })),
  ]
  for (const answer of answers) {
    webhooks.keys.rotate()
    fault(path, answer)
    const webhook = webhooks.sign(home.item, rightBody(home.item, 'DEFAULT_UPDATE', new Date()))
    expect([401, 424]).toContain(await webhooks.send({ ...webhook, url: webhookUrl() }))
    fault(path, null)
  }
  webhooks.keys.rotate()
  const right = webhooks.sign(home.item, rightBody(home.item, 'LOGIN_REPAIRED', new Date()))
  expect(await webhooks.send({ ...right, url: webhookUrl() })).toBe(200)
  await home.until(({ requestedAt, syncRunId }) => !requestedAt && !syncRunId)
  expect(await home.state()).toMatchObject({ status: 'setup', faultCode: null })
  expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
})

const webhookUrl = () => `${new URL(world.coffer.baseUrl).origin}/api/aggregator/webhook`
