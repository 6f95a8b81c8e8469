import { connectBroker } from '@coffer/host/events/nats'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import type { Broker } from '@coffer/kit/events/broker'
import { freePorts } from '@coffer/local/ports'
import { startReceiver } from '@coffer/notices/testing/webhook-receiver'
import { expect, test } from '@jest/globals'
import { generateSync } from 'otplib'
import pg from 'pg'
import { storedMessages } from '../harness/messages.ts'
import { type Answer, type CallOptions, call, newPerson } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { createFullAccount, feedKey, fullSettings } from '../mesh/full-account.ts'
import { startOtlpSink } from '../providers/otlp.ts'
import { startPlaid } from '../providers/plaid/plaid.ts'
import { type MailSink, type ReceivedMail, startMailSink, tokenIn } from '../providers/smtp.ts'
import { startStripe } from '../providers/stripe.ts'
import { aggregatorSettings, syncItems } from './aggregator-secrets.ts'
import { collectProgress, privateText, startProviders, syncFeed } from './feed-secrets.ts'
import { useWebhooks } from './webhook-secrets.ts'

const called = 'echoedFeedKey'

test('secrets are in no log, span, message, history, row, error or mail', async () => {
  await using stripe = await startStripe()
  await using sink = await startMailSink()
  await using stack = new AsyncDisposableStack()
  const providers = await startProviders(called)
  for (const provider of providers) stack.use(provider)
  await using plaid = await startPlaid({ secret: 'echoedPlaidSecret' })
  await using receiver = await startReceiver()
  await using otlp = await startOtlpSink()
  const [rpcPort] = await freePorts(1)
  await using deployment = await deploy({
    COFFER_SMTP_URL: sink.url,
    COFFER_SMTP_TLS: 'none',
    ...stripe.settings,
    ...fullSettings,
    ...aggregatorSettings(plaid),
    COFFER_FEED_ALLOWED_URLS: allowedUrls(providers),
    COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host,
    COFFER_RPC_PORT: String(rpcPort),
    COFFER_LOG_LEVEL: 'trace',
    ...otlp.settings,
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: '100',
  })
  await deployment.start()
  await using broker = await connect(deployment)
  const frames = collectProgress(broker)
  const errors: string[] = []
  const { accountId, ...secrets } = await journey(deployment, { stripe, sink, errors })
  const { COFFER_STRIPE_API_KEY: stripeKey, COFFER_STRIPE_WEBHOOK_SECRET: hook } = stripe.settings
  Object.assign(secrets, { stripeKey, hook, called, calledInUpperCase: called.toUpperCase() })
  const [answers, linked] = await Promise.all([
    syncFeed(deployment, providers),
    syncItems(deployment, plaid),
  ])
  Object.assign(secrets, linked.secrets.tokens)
  const hooks = await useWebhooks(deployment, { receiver, sink })
  Object.assign(secrets, hooks.secrets)
  await eventually(
    () => waiting(deployment),
    (count) => count === 0,
    30_000,
  )
  expect(sink.mails.map(({ subject }) => subject).sort()).toEqual(subjects)
  const places = {
    logs: [deployment.output()],
    errors,
    answers,
    linkAnswers: linked.seen,
    frames,
    webhookAnswers: hooks.seen,
    telemetry: [otlp.text()],
    metrics: [await (await fetch(`http://127.0.0.1:${rpcPort}/metrics`)).text()],
    messages: await messages(broker),
    histories: await histories(deployment),
    rows: await rows(deployment),
    mails: sink.mails.map(withoutToken),
  }
  for (const [place, texts] of Object.entries(places)) {
    expect([place, texts.length > 0 && texts.join('').length > 0]).toEqual([place, true])
  }
  expectNoSecret(secrets, places, { accountId, names: linked.secrets.names, ...hooks })
})

/** Searches all places for secrets, and those that other people see for the rest. */
function expectNoSecret(
  secrets: Record<string, string>,
  places: Record<'rows' | 'linkAnswers' | 'webhookAnswers', string[]> & Record<string, string[]>,
  of: { accountId: string; names: Record<string, string>; urlKey: Record<string, string> },
): void {
  const { accountId, names, urlKey } = of
  expect(found(secrets, places)).toEqual([])
  const { rows: _, ...apartFromRows } = places
  const { linkAnswers: __, ...apartFromExport } = apartFromRows
  expect(found(names, apartFromRows)).toEqual([])
  expect(found({ privateText }, apartFromExport)).toEqual([])
  const { webhookAnswers: ____, ...apartFromUser } = apartFromRows
  expect(found(urlKey, apartFromUser)).toEqual([])
  // Control of the search: it finds the account ID, which is not secret, so it would find a secret.
  const seen = ['account in messages', 'account in histories', 'account in rows']
  expect(found({ account: accountId }, places)).toEqual(expect.arrayContaining(seen))
  expect(found({ privateText, stars: '***' }, places)).toEqual(
    expect.arrayContaining(['privateText in rows', 'stars in answers', 'stars in frames']),
  )
  expect(found({ ...names, privateText }, places)).toEqual(
    expect.arrayContaining(['itemId in rows', 'privateText in linkAnswers']),
  )
}

/** Returns the setting that allows these feed providers beside that of `fullSettings`. */
function allowedUrls(providers: { url: string }[]): string {
  return [fullSettings.COFFER_FEED_ALLOWED_URLS, ...providers.map(({ url }) => url)].join()
}

const reset = 'Reset your password'
const changed = 'Your password was changed'
const subjects = [
  'A link to your bank needs you',
  'A webhook was switched off',
  'An authenticator was enabled',
  reset,
  reset,
  reset,
  changed,
  changed,
].sort()

/** Returns the text of the mail without its link token, the only secret that a mail may contain. */
function withoutToken(mail: ReceivedMail): string {
  const { text, html, ...rest } = mail
  const token = mail.subject === reset ? tokenIn(mail) : 'none'
  return `${JSON.stringify(rest)} ${text} ${html}`.replaceAll(`?token=${token}`, '')
}

/**
 * Returns `<secret> in <place>` for each secret that the texts of a place contain, as plain text,
 * base64 or hex.
 */
function found(secrets: Record<string, string>, places: Record<string, string[]>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const spellings = ['utf8', 'base64', 'base64url', 'hex'] as const
    const texts = spellings.map((one) => Buffer.from(secret).toString(one).replace(/=+$/, ''))
    return Object.entries(places).flatMap(([place, all]) =>
      all.some((text) => texts.some((spelling) => text.includes(spelling)))
        ? [`${name} in ${place}`]
        : [],
    )
  })
}

interface Witnesses {
  stripe: Parameters<typeof createFullAccount>[1]
  sink: MailSink
  /** Bodies of all refused requests, which `journey` collects. */
  errors: string[]
}

/** Uses every feature that handles secrets. Returns the secrets by name. */
async function journey(
  { baseUrl }: Deployment,
  { stripe, sink, errors }: Witnesses,
): Promise<Record<string, string> & { accountId: string }> {
  const person = await createFullAccount({ person: () => newPerson(baseUrl) }, stripe)
  const { email, password, cookie, authorization } = person
  const asSession = { headers: { cookie } }
  const send = async (method: string, path: string, options?: CallOptions): Promise<Answer> => {
    const answer = await call(baseUrl, method, path, options)
    if (answer.status >= 400) errors.push(JSON.stringify(answer.body))
    return answer
  }
  const setUp = (await send('POST', '/users/security/totp/setup', asSession)).body
  const seed = new URL(setUp.uri).searchParams.get('secret') ?? ''
  const confirm = { ...asSession, body: { totp: generateSync({ secret: seed }) } }
  expect((await send('POST', '/users/security/totp/confirm', confirm)).status).toBe(200)
  const pending = await send('POST', '/authentication/login', { body: { email, password } })
  expect(pending.status).toBe(428)
  const owed = { headers: { cookie: pending.headers.getSetCookie()[0]?.split(';')[0] ?? '' } }
  const [recoveryCode = ''] = setUp.recoveryCodes
  const wrong = { ...owed, body: { totp: '00000000' } }
  await send('POST', '/authentication/multifactor', wrong)
  const right = { ...owed, body: { totp: recoveryCode } }
  const signedIn = await send('POST', '/authentication/multifactor', right)
  expect(signedIn.status).toBe(200)
  const newPassword = 'another password that is long'
  const change = { currentPassword: password, newPassword }
  for (const body of [{ ...change, currentPassword: 'a wrong password of mine' }, change]) {
    await send('PUT', '/users/security/password', { ...asSession, body })
  }
  await send('POST', '/authentication/login', { body: { email, password } })
  await send('POST', '/authentication/register', { body: { email, password, firstName: 'Pat' } })
  await send('POST', '/feed/link', {
    headers: { authorization },
    body: { name: '', feedURL: 'x', apiKey: feedKey },
  })
  await send('GET', '/links', { headers: { authorization: `${authorization}x` } })
  expect(errors.length).toBeGreaterThan(4)
  const linkMailed = async (count: number) => {
    expect((await send('POST', '/authentication/forgot', { body: { email } })).status).toBe(200)
    return tokenIn(await sink.mailTo(email, reset, count))
  }
  const [usedUp, used] = [await linkMailed(1), await linkMailed(2)]
  const lastPassword = 'the last password of mine'
  const renewal = { body: { token: used, password: lastPassword } }
  for (const status of [200, 400]) {
    expect((await send('POST', '/authentication/reset', renewal)).status).toBe(status)
  }
  const [, keySecret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
  const token = (text = '') => text.slice(text.indexOf('=') + 1)
  return {
    accountId: person.accountId,
    password,
    newPassword,
    wrongPassword: 'a wrong password of mine',
    seed,
    recoveryCode,
    keySecret,
    feedKey,
    session: token(cookie),
    pendingSession: token(owed.headers.cookie),
    usedUp,
    used,
    lastPassword,
    unused: await linkMailed(3),
    newSession: token(signedIn.headers.getSetCookie()[0]?.split(';')[0]),
  }
}

async function query(deployment: Deployment, text: string) {
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows as string[][]
  } finally {
    await client.end()
  }
}

const tables = `
  SELECT table_schema || '.' || table_name FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`

/** Counts changes that are not published yet, and mails that are not sent yet. */
async function waiting(deployment: Deployment): Promise<number> {
  const changes = (await query(deployment, tables)).flat().filter((name) => /\.changes$/.test(name))
  const counts = changes.map((name) => `(SELECT count(*) FROM ${name} WHERE published_at IS NULL)`)
  counts.push('(SELECT count(*) FROM identity.mails)')
  return Number((await query(deployment, `SELECT ${counts.join(' + ')}`))[0]?.[0])
}

/** Returns every row of every table as text, with bytea columns as text and in hexadecimal. */
async function rows(deployment: Deployment): Promise<string[]> {
  const names = (await query(deployment, tables)).flat()
  const all = await Promise.all(
    names.map((name) => query(deployment, `SELECT row_to_json(t)::text FROM ${name} AS t`)),
  )
  const texts = all.flat(2)
  const bytes = texts.flatMap((text) =>
    [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString(),
    ),
  )
  return [...texts, ...bytes]
}

function connect({ prefix }: Deployment): Promise<Broker & AsyncDisposable> {
  const serviceNames = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync']
  const url = requiredVariable('COFFER_TEST_NATS_URL')
  return connectBroker({ url, prefix, serviceNames, log: silentLog })
}

/** Returns every message in the NATS stream of changes, dead letters included, as text. */
async function messages(broker: Broker): Promise<string[]> {
  const stored = await storedMessages(broker)
  return stored.map(({ subject, data, header }) => `${subject} ${Buffer.from(data)} ${header}`)
}

/** Returns the Temporal history of every workflow, with its payloads as text. */
async function histories({ prefix }: Deployment): Promise<string[]> {
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  await using workflows = connectTemporal({ address, namespace: 'default', prefix, log: silentLog })
  const { workflow } = workflows.client
  const texts: string[] = []
  for await (const { workflowId, runId } of workflow.list()) {
    if (!workflowId.startsWith(`${prefix}/`)) continue
    const history = await workflow.getHandle(workflowId, runId).fetchHistory()
    const plain = (_: string, value: unknown) => {
      if (value instanceof Uint8Array) return Buffer.from(value).toString()
      const { type, data } = Object(value) as { type?: unknown; data?: unknown }
      return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data).toString() : value
    }
    texts.push(JSON.stringify(history, plain))
  }
  return texts
}
