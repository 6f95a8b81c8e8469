import { toJson } from '@bufbuild/protobuf'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { GetFeedLinkResponseSchema } from '@coffer/proto/feedsync/v1/feed_link'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../testing/boot.ts'
import { connectCalls, type Way } from '../../testing/fixture/mesh.ts'
import { keepLogLines } from '../../testing/log-lines.ts'
import { sumOf } from '../../testing/metrics.ts'

const ways: Way[] = ['in memory', 'over HTTP/1.1']

async function faultOf(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (reason) => ConnectError.from(reason),
  )
  if (!error) return null
  const { code, rawMessage } = error
  return { code, rawMessage, problems: problemsOf(error), refusal: refusalOf(error) }
}

const fault = (code: Code, rawMessage: string, details = {}) => ({
  code,
  rawMessage,
  problems: null,
  refusal: null,
  ...details,
})

const tree = { name: 'is taken', rule: { interval: 'is too small' } }
const tooSoon = expect.objectContaining({ code: 'TOO_SOON', status: 425 })
const lost = 'the database is not available: repeat the request later'

// Outcome of a call by the name in its request: the same in memory and over the network.
const outcomes: [string, ReturnType<typeof fault> | null][] = [
  ['fine', null],
  ['invalid', fault(Code.InvalidArgument, 'Invalid request', { problems: tree })],
  ['missing', fault(Code.NotFound, 'feed link: record does not exist')],
  [
    'duplicate',
    fault(Code.AlreadyExists, 'feed link: a similar object already exists', {
      problems: { name: 'is taken' },
    }),
  ],
  ['refused', fault(Code.FailedPrecondition, 'too soon', { refusal: tooSoon })],
  ['plainly', fault(Code.FailedPrecondition, 'not now')],
  ['forbidden', fault(Code.PermissionDenied, 'not yours')],
  // Only identity's answers are about the client's session.
  ['unauthenticated', fault(Code.Unavailable, 'a service is not available')],
  ['unavailable', fault(Code.Unavailable, 'busy')],
  ['crash', fault(Code.Internal, 'internal error')],
  ['lostDatabase', fault(Code.Unavailable, lost)],
  ['slowDatabase', fault(Code.DeadlineExceeded, 'the database took too long')],
]

describe.each(ways)('a call %s', (way) => {
  test.each(outcomes)('that is %s', async (feedLinkId, expected) => {
    await using open = await connectCalls(way)
    expect(await faultOf(open.links.getFeedLink({ feedLinkId }, open.as('gateway')))).toEqual(
      expected,
    )
  })

  test('returns the message, instants to the millisecond, and the headers', async () => {
    await using open = await connectCalls(way)
    let replayed: string | null = null
    const reply = await open.links.getFeedLink(
      { feedLinkId: 'fine' },
      { ...open.as('gateway'), onHeader: (header) => (replayed = header.get(headers.replayed)) },
    )
    expect(toJson(GetFeedLinkResponseSchema, reply)).toEqual({
      feedLink: { feedLinkId: 'fine', name: 'acct_1', createdAt: '2026-01-02T03:04:05.678Z' },
    })
    expect(replayed).toBe('true')
  })

  test('that hangs fails at its deadline', async () => {
    await using open = await connectCalls(way)
    const options = { ...open.as('gateway'), timeoutMs: 50 }
    const hung = await faultOf(open.links.createFeedLink({ name: 'hang' }, options))
    expect(hung?.code).toBe(Code.DeadlineExceeded)
  })

  test('ends when its caller aborts it', async () => {
    await using open = await connectCalls(way)
    const gone = new AbortController()
    const call = open.links.getFeedLink(
      { feedLinkId: 'held' },
      { ...open.as('gateway'), signal: gone.signal },
    )
    await open.calls.arrived
    gone.abort()
    expect((await faultOf(call))?.code).toBe(Code.Canceled)
    open.calls.release()
    const late = { ...open.as('gateway'), signal: gone.signal }
    const tries = open.calls.tries()
    expect((await faultOf(open.links.getFeedLink({ feedLinkId: 'fine' }, late)))?.code).toBe(
      Code.Canceled,
    )
    expect(open.calls.tries()).toBe(tries)
  })

  test('without a caller, or from a service without access, is refused', async () => {
    await using open = await connectCalls(way)
    const request = { feedLinkId: 'fine' }
    // The code is not unauthenticated: a client would suspect its own session or API key.
    const distrusted = fault(Code.Unavailable, 'a service is not available')
    expect(await faultOf(open.links.getFeedLink(request))).toEqual(distrusted)
    const foreign = await faultOf(open.links.getFeedLink(request, open.as('ledger')))
    expect(foreign).toEqual(fault(Code.PermissionDenied, 'GetFeedLink does not accept ledger'))
    const forged = { headers: { [headers.caller]: 'e30.e30' } }
    expect(await faultOf(open.links.getFeedLink(request, forged))).toEqual(distrusted)
    expect(open.calls.tries()).toBe(0)
  })

  test('that is unauthenticated is counted', async () => {
    await using open = await connectCalls(way)
    const count = () => sumOf('coffer_refused_callers_total')
    const before = await count()
    const call = (feedLinkId: string) => open.links.getFeedLink({ feedLinkId }, open.as('gateway'))
    await faultOf(call('missing'))
    expect(await count()).toBe(before)
    await faultOf(call('unauthenticated'))
    expect(await count()).toBe(before + 1)
  })

  test('is retried once if it is marked idempotent, and only then', async () => {
    await using reading = await connectCalls(way)
    const gateway = reading.as('gateway')
    await reading.links.getFeedLink({ feedLinkId: 'flaky' }, gateway)
    expect(reading.calls.tries()).toBe(2)

    await using repeatable = await connectCalls(way)
    await repeatable.links.activateFeedLink({ feedLinkId: 'flaky' }, repeatable.as('gateway'))
    expect(repeatable.calls.tries()).toBe(2)

    await using writing = await connectCalls(way)
    const written = writing.links.createFeedLink({ name: 'flaky' }, writing.as('gateway'))
    expect((await faultOf(written))?.code).toBe(Code.Unavailable)
    expect(writing.calls.tries()).toBe(1)

    await using down = await connectCalls(way)
    await faultOf(down.links.getFeedLink({ feedLinkId: 'unavailable' }, down.as('gateway')))
    expect(down.calls.tries()).toBe(2)
    await faultOf(down.links.getFeedLink({ feedLinkId: 'missing' }, down.as('gateway')))
    expect(down.calls.tries()).toBe(3)
  })
})

test('a call that crashes is logged as an error, unless its caller has aborted it', async () => {
  const { log, lines } = keepLogLines()
  await using open = await connectCalls('in memory', log)
  await faultOf(open.links.getFeedLink({ feedLinkId: 'crash' }, open.as('gateway')))
  const gone = new AbortController()
  const options = { ...open.as('gateway'), signal: gone.signal }
  const call = faultOf(open.links.getFeedLink({ feedLinkId: 'held crash' }, options))
  await open.calls.arrived
  gone.abort()
  await call
  await open.calls.left
  open.calls.release()
  const failed = async () => lines().filter(({ msg }) => msg === 'rpc failed')
  const [first, second] = await eventually(failed, ({ length }) => length === 2)
  expect([first.level, first.rpc, second.level]).toEqual([50, 'GetFeedLink', 20])
})
