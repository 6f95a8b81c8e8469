import { z } from 'zod'
import { Login } from '../sign-in/login.ts'
import { Account } from './account.ts'

/** A login's part in an account, with the columns of both in one flat row. */
export const UserRow = z.object({
  userId: z.string(),
  role: z.enum(['owner', 'member']),
  ...Login.shape,
  ...Account.shape,
})
export type UserRow = z.infer<typeof UserRow>
