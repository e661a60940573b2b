import { Annotations, Aws, Fn, RemovalPolicies } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpoint,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment, NetworkSettings } from '../environment-types.ts';
import { removalPolicy, retention } from '../settings.ts';

/**
 * AWS services called from inside the network, by whom, and what Lambda itself calls there on
 * behalf of a mapping (the poller runs in the broker's subnets, as the service).
 */
export const INTERFACE_ENDPOINTS = {
  /** Functions and the poller read the broker's users. */
  secretsmanager: {
    service: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
    mappingActions: ['secretsmanager:GetSecretValue'],
  },
  /** The poller invokes the function. */
  lambda: {
    service: InterfaceVpcEndpointAwsService.LAMBDA,
    mappingActions: ['lambda:InvokeFunction'],
  },
  /** The poller takes the function's role. */
  sts: { service: InterfaceVpcEndpointAwsService.STS, mappingActions: ['sts:AssumeRole'] },
  /** The kill switch of replay. */
  ssm: { service: InterfaceVpcEndpointAwsService.SSM, mappingActions: [] },
  /** States of the alarms that must be quiet before replay. */
  monitoring: { service: InterfaceVpcEndpointAwsService.CLOUDWATCH_MONITORING, mappingActions: [] },
} as const;

/** What a broker's network interfaces hold on to. */
const NETWORK_TYPES = [
  'AWS::EC2::VPC',
  'AWS::EC2::Subnet',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SubnetRouteTableAssociation',
];

export interface NetworkProps {
  readonly environment: Environment;
}

/** Subnets for broker and functions, and their way to AWS. Nothing in it is reachable from outside. */
export class Network extends Construct {
  readonly vpc: IVpc;
  /** One per zone, in the order of the zones. */
  readonly subnets: readonly ISubnet[];
  /** The group of all functions; the broker lets it in. */
  readonly functions: SecurityGroup;
  readonly #endpoints?: SecurityGroup;

  constructor(scope: Construct, id: string, { environment }: NetworkProps) {
    super(scope, id);
    const { network } = environment;
    if (network.kind === 'new') {
      const vpc = this.#newVpc(network, environment);
      // CDK's own types don't agree under exactOptionalPropertyTypes.
      this.vpc = vpc as IVpc;
      this.subnets = network.reach === 'nat' ? vpc.privateSubnets : vpc.isolatedSubnets;
    } else {
      this.vpc = givenVpc(this, network);
      this.subnets = this.vpc.isolatedSubnets;
    }
    this.functions = new SecurityGroup(this, 'Functions', {
      vpc: this.vpc,
      description: `Layover functions of ${environment.name}`,
    });
    if (network.reach === 'endpoints') this.#endpoints = this.#interfaceEndpoints();
    if (network.reach !== 'existing') this.#gateways();
  }

  /** Lets the poller of the mappings, which uses the broker's group, reach the endpoints. */
  allowMappings(broker: ISecurityGroup): void {
    this.#endpoints?.addIngressRule(broker, Port.HTTPS, 'pollers of the event source mappings');
  }

  #newVpc(settings: Extract<NetworkSettings, { kind: 'new' }>, environment: Environment): Vpc {
    const nat = settings.reach === 'nat';
    const rejected = new LogGroup(this, 'RejectedTraffic', {
      retention: retention(environment.logRetentionDays),
      removalPolicy: removalPolicy(environment),
    });
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(settings.cidr ?? '10.0.0.0/16'),
      // Chosen at deployment: a list by name would need a look-up, or one account's zones.
      availabilityZones: Array.from({ length: settings.zones }, (_, i) =>
        Fn.select(i, Fn.getAzs()),
      ),
      natGateways: nat ? 1 : 0,
      subnetConfiguration: nat
        ? [
            {
              name: 'public',
              subnetType: SubnetType.PUBLIC,
              cidrMask: 24,
              mapPublicIpOnLaunch: false,
            },
            { name: 'private', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 24 },
          ]
        : [{ name: 'private', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 }],
      restrictDefaultSecurityGroup: false,
      // Rejected traffic is what explains a mapping that can't reach its broker.
      flowLogs: {
        rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(rejected),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
    });
    // A broker that stays needs the network it is in.
    RemovalPolicies.of(vpc).apply(removalPolicy(environment), {
      applyToResourceTypes: NETWORK_TYPES,
    });
    return vpc;
  }

  #interfaceEndpoints(): SecurityGroup {
    const group = new SecurityGroup(this, 'Endpoints', {
      vpc: this.vpc,
      description: 'Interface endpoints Layover calls',
      allowAllOutbound: false,
    });
    group.addIngressRule(this.functions, Port.HTTPS, 'functions');
    for (const [name, { service, mappingActions }] of Object.entries(INTERFACE_ENDPOINTS)) {
      const endpoint = new InterfaceVpcEndpoint(this, name, {
        vpc: this.vpc,
        service,
        subnets: { subnets: [...this.subnets] },
        securityGroups: [group],
        privateDnsEnabled: true,
        open: false,
      });
      // Other credentials than this account's can't carry anything out through the endpoint.
      endpoint.addToPolicy(
        new PolicyStatement({
          principals: [new AnyPrincipal()],
          actions: ['*'],
          resources: ['*'],
          conditions: { StringEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID } },
        }),
      );
      if (mappingActions.length > 0) {
        endpoint.addToPolicy(
          new PolicyStatement({
            principals: [new ServicePrincipal('lambda.amazonaws.com')],
            actions: [...mappingActions],
            resources: ['*'],
          }),
        );
      }
    }
    return group;
  }

  #gateways(): void {
    const subnets = [{ subnets: [...this.subnets] }];
    for (const [id, service] of [
      ['dynamodb', GatewayVpcEndpointAwsService.DYNAMODB],
      ['s3', GatewayVpcEndpointAwsService.S3],
    ] as const) {
      new GatewayVpcEndpoint(this, id, { vpc: this.vpc, service, subnets });
    }
  }
}

function givenVpc(scope: Construct, settings: Extract<NetworkSettings, { kind: 'given' }>): IVpc {
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId: settings.vpcId,
    availabilityZones: [...settings.availabilityZones],
    isolatedSubnetIds: [...settings.subnetIds],
    ...(settings.routeTableIds ? { isolatedSubnetRouteTableIds: [...settings.routeTableIds] } : {}),
  });
  if (settings.routeTableIds === undefined) {
    for (const subnet of vpc.isolatedSubnets) {
      Annotations.of(subnet).acknowledgeWarning(
        '@aws-cdk/aws-ec2:noSubnetRouteTableId',
        'Route tables are needed for gateways only, and none is made.',
      );
    }
  }
  return vpc;
}
