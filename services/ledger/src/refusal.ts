/** What a rule throws when it refuses; `problems` names fields, `missing` the object. */
export class Refusal extends Error {
  readonly problems: Readonly<Record<string, string>>
  constructor(message: string, problems: Readonly<Record<string, string>> = {}) {
    super(message)
    this.problems = problems
  }
}

export function invalid(problems: Record<string, string>): Refusal {
  return new Refusal('Invalid request', problems)
}

export function refused(text: string): Refusal {
  return new Refusal(text)
}

export function notFound(what: string): Refusal {
  return new Refusal(`${what}: record does not exist`)
}
