import type { Example, Examples } from '@coffer/gateway/openapi/examples'
import { linksAggregator, linksFeed, removes } from './connections.ts'
import { uploads } from './files.ts'
import { listsAll, looksAhead, plans, spends } from './household.ts'
import { masked } from './masks.ts'
import { recordPlain } from './plain-server.ts'
import { refusals } from './refusals.ts'
import { renders } from './rendered.ts'
import { type Ada, looksAround, registers, securesLogin } from './sign-in.ts'
import { webhooks } from './webhooks.ts'
import { start, startWorld, type World } from './world.ts'

/** Items of a long list that an example shows. */
const itemsShown = 3

/** Lengths up to which lists are shown whole: of objects, and of texts. */
const objectsMax = 6
const textsMax = 10

/**
 * Starts a server and uses the whole API as one household. Returns the requests and answers,
 * without what differs from one recording to the next.
 */
export async function record(): Promise<Examples> {
  await using world = await startWorld()
  const { recorder, feed, receiver } = world
  const ada = await useAll(world)
  await renders(recorder, 'https://coffer.example.com')
  const { plain, ids } = await recordPlain(start)
  const texts = [
    [feed.url, 'https://feed.example.com/api/v1'],
    [feed.apiKey, 'keyOfTheFeed'],
    [receiver.url, 'https://home.example.net/coffer'],
    ['127.0.0.1', '203.0.113.7'],
    // The same Ada on both servers.
    ...ids.map((id, at) => [id, ada.ids[at] ?? id] as const),
  ] as const
  const all = merged(recorder.recorded(), plain)
  return shortened(masked(all, { start, texts }))
}

/**
 * Uses the whole API as one household, and calls `more` before the end. Returns the owner, whose
 * account is deleted at the end.
 */
export async function useAll(
  world: World,
  more: (ada: Ada) => Promise<void> = async () => undefined,
): Promise<Ada> {
  const anyone = world.recorder.as({})
  await anyone('GET', '/health')
  await anyone('GET', '/config')
  const ada = await registers(world)
  await looksAround(world, ada)
  await ada.key('GET', '/locale/currency')
  await ada.key('POST', '/icons/search', { body: { name: 'Spotify Premium' } })
  const home = await plans(world, ada)
  await spends(world, ada, home)
  await uploads(world, ada, home)
  await looksAhead(world, ada, home)
  const feedAccount = await linksFeed(world, ada)
  await linksAggregator(world, ada)
  await listsAll(ada)
  await webhooks(world, ada)
  await removes(ada, feedAccount)
  await refusals(world, ada, home)
  await more(ada)
  await securesLogin(world, ada)
  return ada
}

/** Names of examples that come after the others of their operation. */
const late = ['verification', 'lapsed', 'unpaid']

/** Returns the examples of two recordings: those of an operation with its successes first. */
function merged(one: Examples, other: Examples): Examples {
  const ids = Object.keys({ ...other.operations, ...one.operations })
  const operations = ids.map((id) => {
    const all = [...(one.operations[id] ?? []), ...(other.operations[id] ?? [])]
    return [id, all.toSorted((first, second) => rankOf(first) - rankOf(second))]
  })
  const refused = [...one.refusals, ...other.refusals]
  return {
    operations: Object.fromEntries(operations),
    parameters: { ...other.parameters, ...one.parameters },
    refusals: refused.toSorted((first, second) => first.status - second.status),
  }
}

function rankOf({ status, name }: Example): number {
  return 2 * status + (late.includes(name) ? 1 : 0)
}

/** Cuts long lists of answers. */
function shortened({ operations, ...more }: Examples): Examples {
  const cut = (_key: string, value: unknown) => {
    if (!Array.isArray(value)) return value
    const max = typeof value[0] === 'object' ? objectsMax : textsMax
    return value.length > max ? value.slice(0, itemsShown) : value
  }
  const each = Object.entries(operations).map(([id, all]) => [
    id,
    all.map((one) => ('answer' in one ? { ...one, answer: cutIn(one.answer, cut) } : one)),
  ])
  return { operations: Object.fromEntries(each), ...more }
}

function cutIn(answer: unknown, cut: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(answer), cut)
}
