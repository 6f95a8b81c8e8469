import { newId } from '@coffer/kit/values/id'
import { startCoffer } from '../harness/coffer.ts'
import { type Answer, call } from '../harness/person.ts'
import { startMailSink } from '../providers/smtp.ts'

/** The password of all registered people. */
export const password = 'a long enough password'

/** Requests of strangers that name an email address: their paths and bodies. */
export const requests: [string, (email: string) => object][] = [
  ['login', (email) => ({ email, password: 'not this password' })],
  ['forgot', (email) => ({ email })],
  ['verify/resend', (email) => ({ email })],
]

/** A server with mail and verification, at which people have registered. */
export interface Registered extends AsyncDisposable {
  /** Addresses of the registered people. */
  known: string[]
  /** Sends a request below `/authentication`. */
  post: (path: string, body: object) => Promise<Answer>
}

/** Returns an unregistered address. */
export function someAddress(): string {
  return `${newId('person').replace('_', '.')}@example.com`
}

/** Starts Coffer and a mail server, and registers people. */
export async function startRegistered(people: number): Promise<Registered> {
  await using starting = new AsyncDisposableStack()
  const sink = starting.use(await startMailSink())
  const { baseUrl } = starting.use(
    await startCoffer({
      COFFER_SMTP_URL: sink.url,
      COFFER_SMTP_TLS: 'none',
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: '10000',
      COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
    }),
  )
  const post = (path: string, body: object) =>
    call(baseUrl, 'POST', `/authentication/${path}`, { body })
  const known = Array.from({ length: people }, someAddress)
  await Promise.all(known.map((email) => post('register', { email, password, firstName: 'Pat' })))
  const started = starting.move()
  return { known, post, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
