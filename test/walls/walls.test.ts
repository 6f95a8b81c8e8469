import { composeEnvironment } from './compose-environment.ts'
import { proveWalls } from './prove.ts'
import { passwordOf } from './world.ts'

/** The value of a variable of `.env`: a password of its user, or nothing. */
const textOf = (variable: string) => {
  const [, user] = /_PASSWORD_(\w+)$/.exec(variable) ?? []
  return user === undefined ? '' : passwordOf(user)
}

proveWalls(async () => ({
  environmentOf: (part) => composeEnvironment(part, textOf),
  migration: composeEnvironment('migrate', textOf),
}))
