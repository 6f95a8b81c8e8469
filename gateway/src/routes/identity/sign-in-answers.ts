import { UserSchema } from '@coffer/proto/identity/v1/user'

const text = { type: 'string' }
/** The path of a page for the next step (docs/sign-in.md#the-next-step). */
export const nextUrl = {
  type: 'string',
  description:
    'Names the next step by the path of a page: the app of this server has it, and other clients ' +
    'may (docs/sign-in.md#the-next-step)',
}
const error = { type: 'string', description: 'The fault, for people; the text may change' }

/** Answer to a registration (docs/sign-in.md#registration). */
export const registrationAnswer = {
  object: {
    user: { optional: UserSchema },
    requireVerification: {
      json: {
        type: 'boolean',
        description: 'Whether the address has to be verified first: then there is no session',
      },
    },
    isActive: {
      optional: { json: { type: 'boolean', description: 'Whether the account is paid up' } },
    },
    nextUrl: { optional: { json: { ...nextUrl, const: '/setup' } } },
    message: { optional: { json: { ...text, description: 'The next step, for people' } } },
  },
}

/** Answer to a sign-in (docs/sign-in.md#signing-in). */
export const signedInAnswer = {
  object: {
    isActive: { json: { type: 'boolean', description: 'Whether the account is paid up' } },
    nextUrl: { optional: { json: { ...nextUrl, const: '/account/subscribe' } } },
  },
}

/**
 * Answer 428 to a sign-in: another step comes first. If that is a code, the answer sets the cookie
 * of a pending session; otherwise there is no session yet.
 */
export const signInStep = {
  description: 'Another step comes first: a code, a new password or a verified address; see `code`',
  answer: {
    json: {
      oneOf: [
        step('MFA_REQUIRED', { nextUrl: { ...nextUrl, const: '/login/multifactor' } }),
        step('PASSWORD_CHANGE_REQUIRED', {
          resetToken: { ...text, description: 'Token for a new password, valid for 5 minutes' },
        }),
        step('EMAIL_NOT_VERIFIED', {}),
      ],
    },
  },
}

/** 428 of a registration. */
export const emailInUse = {
  description: 'The email address is in use',
  answer: { json: step('EMAIL_IN_USE', {}) },
}

/**
 * Answer 428 to a change of the user's own data: the new address is in use, or re-authentication by
 * code is locked.
 */
export const emailInUseOrCodesLocked = {
  description: 'The email address is in use, or wrong codes have locked the second factor',
  answer: { json: { oneOf: [step('EMAIL_IN_USE', {}), step('MFA_LOCKED', {})] } },
}

/** Answer 428 of an operation that accepts a code (docs/sign-in.md#wrong-codes). */
export const codesLocked =
  'Wrong codes have locked the second factor: `code` is `MFA_LOCKED`. Reset the password by a ' +
  'mailed link, or ask the operator; re-authentication takes the password too'

function step(code: string, more: Record<string, object>) {
  const properties = {
    error,
    code: { ...text, const: code, description: 'The needed step' },
    ...more,
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}
