import type { ApiKey } from '@coffer/client/types'
import { type Coffer, startCoffer } from '../harness/coffer.ts'

/** Starts a server with a person's bank account, and creates an API key through the client. */
export async function startCofferWithKey(): Promise<
  AsyncDisposable & { coffer: Coffer; key: ApiKey; path: { bankAccountId: string } }
> {
  await using opening = new AsyncDisposableStack()
  const coffer = opening.use(await startCoffer())
  const person = await coffer.person()
  const { data: key } = await person.session.createApiKey({ body: { name: 'client' } })
  const path = { bankAccountId: (await person.createBankAccount()).id }
  const stack = opening.move()
  return { coffer, key, path, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
