import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { settings } from 'vantage-control/config/settings.js';
import { parseAllDocuments } from 'yaml';
import { releasedPrograms } from '../release/contents.js';
import { instructionsOf, parseDockerfile } from './dockerfile.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const stages = parseDockerfile(read('deploy/container/Dockerfile'));
const stageOf = (name: string) => {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new Error(`no stage ${name}`);
  return found;
};
/** Documents of a file, each free of errors and of keys that stand twice. */
function documents(path: string): Record<string, unknown>[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}
const compose = documents('deploy/container/compose.yaml')[0] as {
  services: Record<string, Record<string, unknown>>;
  volumes: object;
  secrets: object;
};
const known = new Set(Object.values(settings).map(({ name }) => name as string));

interface Named {
  readonly name: string;
}

/** Container of a pod, as far as it is compared. */
interface Container extends Named {
  readonly image: string;
  readonly env: readonly Named[];
  readonly securityContext: object;
  readonly volumeMounts: readonly Named[];
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly startupProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

/** Workload of Kubernetes. */
interface Workload {
  readonly kind: string;
  readonly metadata: Named;
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly securityContext: { readonly runAsUser: number; readonly runAsNonRoot: boolean };
        readonly containers: readonly Container[];
        readonly initContainers?: readonly Container[];
        readonly volumes: readonly Named[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[];
  };
}

t.test('what the Dockerfile runs exists, and every path that it copies was made before', async (t) => {
  const build = stageOf('build');
  const { scripts, version, engines } = JSON.parse(read('package.json'));
  const commands = instructionsOf(build, 'RUN').join('\n');
  for (const [, script = ''] of commands.matchAll(/npm run ([\w-]+)/g)) t.ok(scripts[script], `npm run ${script}`);
  t.match(instructionsOf(build, 'ARG'), [`VERSION=${version}`]);
  const [, major = ''] = /node:(\d+)\./.exec(build.image) ?? [];
  t.match(engines.node, new RegExp(`^>=${major}\\.`), 'a Node.js that this project supports');
  for (const { name } of releasedPrograms) {
    t.match(commands, `$VERSION/${name}-$VERSION-linux-x64.tar.gz`);
    t.match(commands, `-C /opt/${name} `);
  }
  for (const name of ['control', 'agent']) {
    const [, from = '', path = ''] = /^--from=(\S+) (\S+)/.exec(instructionsOf(stageOf(name), 'COPY')[0] ?? '') ?? [];
    t.equal(from, 'build');
    t.match(commands, new RegExp(`mkdir -p .*${path}\\b`));
    t.match(instructionsOf(stageOf(name), 'ENV')[0], `PATH=${path}/bin:`);
  }
  for (const ignored of ['**/node_modules', '**/dist', '.git'])
    t.match(read('deploy/container/Dockerfile.dockerignore'), ignored);
});

t.test('images are pinned, run without root, and say when they are unhealthy', async (t) => {
  for (const { name, image } of stages) {
    t.match(image, /^docker\.io\/library\/\w+:[\w.]+-?\w*$/, name);
    t.notMatch(image, /:latest$/);
  }
  for (const name of ['control', 'agent']) {
    const stage = stageOf(name);
    const [user = ''] = instructionsOf(stage, 'USER');
    t.match(instructionsOf(stage, 'RUN').join(), `useradd --system --uid ${user} `);
    t.ok(Number(user) >= 10_000);
    t.equal(instructionsOf(stage, 'HEALTHCHECK').length, 1);
    const [command] = JSON.parse(instructionsOf(stage, 'ENTRYPOINT')[0] ?? '[]');
    t.ok(
      releasedPrograms.some(({ commands }) => command in commands),
      command,
    );
    const written = instructionsOf(stage, 'RUN').filter((text) => text.includes('apt-get install'));
    for (const text of written) t.match(text, /--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/);
  }
});

t.test('compose names only stages, volumes, secrets, services and settings that exist', async (t) => {
  const { services, volumes, secrets } = compose;
  t.same(Object.keys(services).sort(), ['agent', 'control', 'nats', 'postgres']);
  for (const [name, service] of Object.entries(services)) {
    const {
      build,
      environment = {},
      depends_on: needed = {},
      volumes: mounts = [],
      secrets: used = [],
    } = service as {
      build?: { context: string; dockerfile: string; target: string };
      environment?: object;
      depends_on?: object;
      volumes?: string[];
      secrets?: string[];
    };
    if (build !== undefined) {
      t.ok(existsSync(new URL(`deploy/container/${build.context}/${build.dockerfile}`, root)), build.dockerfile);
      t.ok(stageOf(build.target), build.target);
      t.same(service['cap_drop'], ['ALL'], `${name} has no capabilities`);
    } else t.notMatch(service['image'], /:latest$|^[^:]*$/);
    for (const variable of Object.keys(environment).filter((one) => one.startsWith('VANTAGE_')))
      t.ok(known.has(variable), variable);
    for (const other of Object.keys(needed)) t.ok(services[other], other);
    for (const mount of mounts) t.ok((mount.split(':')[0] ?? '') in volumes, mount);
    for (const secret of used) t.ok(secret in secrets, secret);
  }
  const example = read('deploy/container/env.example');
  for (const [, variable = ''] of read('deploy/container/compose.yaml').matchAll(/\$\{(\w+):\?/g))
    t.match(example, new RegExp(`^${variable}=$`, 'm'), variable);
});

t.test('the example for Kubernetes is consistent with the images and with itself', async (t) => {
  const objects = documents('deploy/kubernetes/vantage.yaml') as unknown as Workload[];
  t.same(
    objects.map(({ kind }) => kind),
    ['Deployment', 'PodDisruptionBudget', 'Service', 'Ingress', 'StatefulSet'],
  );
  for (const { spec, metadata } of objects.filter(({ kind }) => /Deployment|StatefulSet/.test(kind))) {
    const pod = spec.template.spec;
    const stage = stageOf(metadata.name.replace('vantage-', ''));
    t.same(spec.selector.matchLabels, spec.template.metadata.labels);
    t.equal(String(pod.securityContext.runAsUser), instructionsOf(stage, 'USER')[0]);
    t.equal(pod.securityContext.runAsNonRoot, true);
    const volumes = [...pod.volumes, ...(spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata)];
    for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
      t.match(container.image, /^vantage-(?:control|agent):\d/);
      t.match(container.securityContext, { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
      for (const { name } of container.env.filter(({ name: variable }) => variable !== 'VANTAGE_STATE_DIR'))
        t.ok(known.has(name), name);
      for (const { name } of container.volumeMounts)
        t.ok(
          volumes.some((volume) => volume.name === name),
          name,
        );
      for (const probe of [container.readinessProbe, container.livenessProbe, container.startupProbe])
        if (probe !== undefined) t.match(probe.httpGet.path, /^\/(?:healthz|readyz)$/);
    }
  }
});
