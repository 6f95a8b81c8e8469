import type { Environment } from '@coffer/host/settings'

const name = /^COFFER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/
const portName = /^COFFER_(\w+_)?PORT$/
const portValue = /^(tcp|udp|sctp):\/\//

/**
 * Returns the environment without the service links of Kubernetes, which it sets in each pod for
 * the Services of the namespace, such as `COFFER_PORT=tcp://10.0.0.1:80` for a Service named
 * `coffer`. They have the prefix of settings, but are not settings.
 * Source: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function withoutServiceLinks(env: Environment): Environment {
  const kept = Object.entries(env).filter(
    ([key, value]) => !name.test(key) && !(portName.test(key) && portValue.test(value ?? '')),
  )
  return Object.fromEntries(kept)
}
