import { definitions } from '@coffer/cli/process/services'
import { apiRoutes } from '@coffer/client/build/document'
import { partsOf, tells } from '@coffer/host/events/told-events'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { plansAndDeletes } from '../after-commit/planned-account.ts'
import { createRecorder, type Recorder } from '../examples/recorder.ts'
import { useAll } from '../examples/recording.ts'
import { password } from '../examples/sign-in.ts'
import { startWorld, type World } from '../examples/world.ts'
import { findOperation } from '../harness/answer-check.ts'
import { compareObjects, kinds } from './changed-objects.ts'
import { operations, raced, silent } from './told-operations.ts'

/** Not an example: the recorder refuses a second one of an operation. */
const unshown = { isShown: false }

const Row = z.object({ type: z.string(), payload: z.instanceof(Buffer) })

/** Returns what the services have told of a request: its actors, and the types of its objects. */
async function toldOf({ coffer }: World, requestId: string) {
  const told = await Promise.all(
    definitions.map(async ({ name }) => {
      const rows = await coffer.booted.database(name).pool.any(sql.type(Row)`
        SELECT type, payload FROM changes WHERE ${tells}
          AND position(convert_to(${requestId}, 'UTF8') IN payload) > 0`)
      return rows.flatMap(partsOf)
    }),
  )
  const all = told.flat().filter(({ cause }) => cause?.causeId === requestId)
  const actors = new Set(all.map(({ cause }) => cause?.actor))
  const types = all.flatMap(({ objects }) => objects.map((one) => one.type))
  return { actors: [...actors], types }
}

test('each operation that writes tells its changes, and the feed has their objects', async () => {
  const types = new Map<string, Set<string>>()
  const strangers: string[] = []
  let objects = {}
  const note = async (world: World, operationId: string, of: { id: string; isKey: boolean }) => {
    const told = await toldOf(world, of.id)
    const known = types.get(operationId) ?? new Set()
    const own = told.types.filter((type) => type !== raced[operationId])
    types.set(operationId, new Set([...known, ...own]))
    const expected = of.isKey ? 'key' : 'user'
    strangers.push(...told.actors.filter((one) => one !== expected).map(() => operationId))
  }
  const listening = (baseUrl: string): Recorder => {
    const recorder = createRecorder(baseUrl)
    const as: Recorder['as'] = (credential) => {
      const take = recorder.as(credential)
      return async (method, path, taking) => {
        const answer = await take(method, path, taking)
        const operation = findOperation(method, `/api${path.split('?')[0]}`)
        const id = answer.headers.get('x-request-id') ?? ''
        if (method !== 'GET' && operation) {
          const isKey = 'authorization' in credential
          await note(await starting, operation.operationId, { id, isKey })
        }
        return answer
      }
    }
    return { ...recorder, as }
  }
  const starting: Promise<World> = startWorld({ createRecorder: listening })
  await using world = await starting
  await useAll(world, async (ada) => {
    const { key, session } = ada
    await plansAndDeletes((method, path, taking) => key(method, path, { ...taking, ...unshown }))
    const moved = { timezone: 'America/Chicago', currentPassword: password }
    await session('PUT', '/users/me/timezone', { body: moved, ...unshown })
    const webhook = { body: { url: world.receiver.url }, ...unshown }
    await key('POST', '/webhooks', webhook)
    objects = await compareObjects(world.coffer.baseUrl, ada)
  })
  expect(objects).toEqual({
    hidden: ['api_key', 'user'],
    present: kinds,
    gone: expect.arrayContaining(['api_key', 'mapping', 'rule', 'spending', 'transaction']),
  })
  expect(strangers).toEqual([])
  const telling = [...types].filter(([, told]) => told.size > 0)
  const found = telling.map(([id, told]) => [id, [...told].toSorted().join(' ')])
  expect(Object.fromEntries(found)).toEqual(operations)
  const writing = apiRoutes().filter(({ method }) => method !== 'GET')
  const unheard = writing.map(({ id }) => id).filter((id) => !Object.hasOwn(operations, id))
  expect(unheard.toSorted()).toEqual(Object.keys(silent).toSorted())
}, 600_000)
