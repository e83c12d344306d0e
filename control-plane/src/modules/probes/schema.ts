import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { capabilities } from '@vantage/shared/probe-types/definition.js';
import { definitionOf, type ProbeType, probeTypes } from '@vantage/shared/probe-types/index.js';
import { runFields } from '@vantage/shared/probe-types/node-result.js';
import { type TSchema, type TUnsafe, Type } from 'typebox';
import { IsTestSchema } from '../../http/is-test.js';
import { nodeSchemas } from '../nodes/index.js';
import { taskExamples } from './task-example.js';
import type { TaskView } from './view.js';

export const TaskIdSchema = Type.String({ pattern: idPattern(idPrefixes.probeTask), description: 'Probe task id.' });

/** States of a task (API specification 3.3). */
export const taskStatuses = ['running', 'completed', 'failed'] as const;

/** Body of a probe request (API specification 2.7); validation fills in the defaults of `params`. */
export function probeRequestSchema(type: ProbeType) {
  const { Spec, Params } = probeTypes[type];
  return Type.Object(
    {
      target: Spec.properties.target,
      node_id: Type.Optional(nodeSchemas.id),
      node_ids: Type.Optional(
        Type.Array(nodeSchemas.id, {
          minItems: 1,
          maxItems: 50,
          uniqueItems: true,
          description: 'Exactly these nodes.',
        }),
      ),
      nodes: Type.Optional(nodeSchemas.selection),
      params: Type.Object(Params.properties, {
        additionalProperties: false,
        default: {},
        description: 'Parameters of the type.',
      }),
      shared: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'True if everyone with the link may read the results of your account: `page`, and the task by its id. Tasks without an account are always readable. Not for test keys.',
        }),
      ),
    },
    { additionalProperties: false },
  );
}

/** Fields about the readers of a task, in the record and in its change. */
const sharing = {
  shared: Type.Boolean({
    description:
      'True if everyone with the link may read the task: it is shared by its account, or was created without one.',
  }),
  shared_body: Type.Boolean({
    description:
      'True if other readers also get the response body, and what `keywords` and `json_paths` found in it. They never get request headers and request body.',
  }),
};

/** Change of the readers of a task. */
export const TaskChangeSchema = Type.Object(
  { shared: Type.Optional(sharing.shared), shared_body: Type.Optional(sharing.shared_body) },
  { additionalProperties: false, minProperties: 1 },
);

const url = Type.String({ format: 'uri', description: 'Address of the task in the API.' });
const page = nullable(
  Type.String({ format: 'uri' }),
  'Page of the results for people, which everyone with its address can read; null while only the account can.',
);

const UnfitNode = Type.Object(
  {
    node_id: nodeSchemas.id,
    lacks: Type.Enum([...capabilities, 'ipv4', 'ipv6'], {
      type: 'string',
      description: 'Capability or IP family that the probe needs and the node lacks.',
    }),
  },
  { additionalProperties: false, title: 'UnfitNode' },
);

const UnfitNodes = Type.Optional(
  Type.Array(UnfitNode, {
    description:
      'Online nodes that match the selection and cannot run this probe. Present if fewer nodes than the limit of the selection can; lists as many as are missing.',
  }),
);

/** Response to a probe request. */
export const ProbeCreatedSchema = Type.Object(
  {
    task_id: TaskIdSchema,
    task_ids: Type.Array(TaskIdSchema, { description: 'Ids of the node tasks, one for each node.' }),
    status: Type.Literal('queued'),
    unfit_nodes: UnfitNodes,
    url,
    page,
  },
  { additionalProperties: false, title: 'ProbeCreated' },
);

const NodePlace = Type.Object(
  {
    asn: Type.Union([Type.Integer(), Type.Null()]),
    city: Type.Union([Type.String(), Type.Null()]),
    country: Type.Union([Type.String(), Type.Null()]),
    isp: Type.Union([Type.String(), Type.Null()]),
    region: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: false, title: 'ResultPlace', description: 'Location and network of the node.' },
);

/** Schema of a node result of a probe type, as tasks show it. */
export function nodeResultSchema(type: ProbeType): TSchema {
  return Type.Object(
    {
      node_id: nodeSchemas.id,
      node: NodePlace,
      ...probeTypes[type].Result.properties,
      ...runFields,
      started_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'Null if the node returned no result.',
      }),
      trust: Type.Optional(
        Type.Literal('banned_since', {
          description:
            'The node was banned after this measurement, so the result may not be trustworthy. Absent otherwise.',
        }),
      ),
      banned_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'Time of the ban; present with `trust`.' }),
      ),
      late: Type.Optional(
        Type.Boolean({ description: 'True if the result arrived after the node had been declared lost.' }),
      ),
    },
    {
      additionalProperties: false,
      title: `${definitionOf(type).title}NodeResult`,
      ...examplesOf(taskExamples[type]?.node_results[0]),
    },
  );
}

export function taskSchema(type: ProbeType): TUnsafe<TaskView> {
  const definition = probeTypes[type];
  return Type.Unsafe<TaskView>(
    Type.Object(
      {
        task_id: TaskIdSchema,
        probe_type: Type.Literal(type),
        is_test: IsTestSchema,
        target: Type.String(),
        status: Type.Enum([...taskStatuses], {
          type: 'string',
          description: 'completed: at least one node returned a result, successful or not. failed: no node did.',
        }),
        ...sharing,
        url,
        page,
        created_at: Type.String({ format: 'date-time' }),
        completed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
        node_results: Type.Array(nodeResultSchema(type), {
          description: 'Results so far, in the order in which the nodes were chosen.',
        }),
        unfit_nodes: UnfitNodes,
        summary: Type.Object(
          {
            success_count: Type.Integer({ minimum: 0 }),
            fail_count: Type.Integer({ minimum: 0 }),
            ...definition.Summary.properties,
          },
          { additionalProperties: false },
        ),
        ...definition.TaskFields.properties,
      },
      { additionalProperties: false, title: `${definition.title}ProbeTask`, ...examplesOf(taskExamples[type]) },
    ),
  );
}

function examplesOf(example: object | undefined): { examples?: object[] } {
  return example === undefined ? {} : { examples: [example] };
}
