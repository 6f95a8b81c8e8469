import { createClient, sessionOf } from '@coffer/client'
import { type Coffer, startCoffer } from '../harness/coffer.ts'

/** An API key as `createApiKey` answers it. */
export interface ClientKey {
  apiKeyId: string
  secret?: string
}

/** Starts a server with a person's bank account, and creates an API key through the client. */
export async function startCofferWithKey(): Promise<
  AsyncDisposable & { coffer: Coffer; key: ClientKey; path: { bankAccountId: string } }
> {
  await using opening = new AsyncDisposableStack()
  const coffer = opening.use(await startCoffer())
  const { baseUrl } = coffer
  const person = await coffer.person()
  const { email, password } = person
  const answer = await createClient({ baseUrl }).signIn({ body: { email, password } })
  const signedIn = createClient({ baseUrl, session: sessionOf(answer) })
  const { data: key } = await signedIn.createApiKey({ body: { name: 'client' } })
  const path = { bankAccountId: (await person.createBankAccount()).id }
  const stack = opening.move()
  return { coffer, key, path, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
