import { generateSync } from 'otplib'
import type { Person } from './person.ts'

type SignedIn = Pick<Person, 'session' | 'password'>

/** Returns the code of now for the key of an authenticator (base32, blanks ignored). */
export function codeFor(key: string): string {
  return generateSync({ secret: key.replaceAll(' ', '') })
}

/** Sets up an authenticator for a person, and returns the recovery codes. */
export async function setUpSecondFactor({ session, password }: SignedIn): Promise<string[]> {
  const { data } = await session.setUpTotp({ body: { currentPassword: password } })
  const secret = new URL(data.uri).searchParams.get('secret') ?? ''
  await session.confirmTotp({ body: { totp: codeFor(secret) } })
  return data.recoveryCodes
}
