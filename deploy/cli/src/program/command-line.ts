import type { Environment } from '@coffer/host/settings'
import type { Command } from 'commander'

/** Runs a command; the result is the exit code, 0 when undefined. */
export type Action<Options> = (options: Options, env: Environment) => Promise<number | undefined>

/** Makes an action the handler of a command. */
export type Run = <Options>(action: Action<Options>) => (options: Options) => Promise<void>

/** Returns a function that adds a command with its description and one of these help texts. */
export function createAdd<Name extends string>(
  help: Record<Name, string>,
): (program: Command, name: Name, description: string) => Command {
  return (program, name, description) =>
    program.command(name).description(description).addHelpText('after', help[name])
}
