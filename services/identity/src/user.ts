import { z } from 'zod'
import { Account } from './account.ts'
import { Login } from './login.ts'

/** A login's part in an account. */
export const User = z.object({
  userId: z.string(),
  accountId: z.string(),
  loginId: z.string(),
  role: z.enum(['owner', 'member']),
})
export type User = z.infer<typeof User>

/** A user as one flat row, with login and account. */
export const UserRow = z.object({ ...User.shape, ...Login.shape, ...Account.shape })
export type UserRow = z.infer<typeof UserRow>
