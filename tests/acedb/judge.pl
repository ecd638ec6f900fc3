# judge.pl SERVER TOP -- AcePerl, WormBase's own client, talks to the AceDB of these
# tests (ace-server): what it makes of the replies is what it made of AceDB's.
# Prints "ok - sentence" and "not ok - sentence", as tests/run counts them.
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Ace;
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use IO::Handle;
use POSIX ();

my ($server, $top) = @ARGV;
my $dump = "$top/examples/builds/WS188/dump_2008-03-22_A.1.ace";
my $scratch = tempdir(CLEANUP => 1);
my ($failed, @servers) = (0);

# ---- Servers ----

sub start {
    my ($file, @options) = @_;
    my $pid = open(my $out, '-|', $server, $file, @options) or die "$server: $!";
    push @servers, {pid => $pid, out => $out};    # its pipe closed, Perl would wait for its end
    my ($port) = <$out> =~ /^listening on (\d+)/ or die "$server tells no port";
    return {port => $port};
}

sub end_servers {
    kill 'TERM', map { $_->{pid} } @servers;
    close $_->{out} for @servers;
    @servers = ();
}

END { end_servers() }

sub connect_to {
    my ($to, %with) = @_;
    return Ace->connect(-host => '127.0.0.1', -port => $to->{port}, -user => 'reader',
                        -pass => 'secret', %with);
}

sub stamped { my $db = connect_to(@_) or die Ace->error; $db->timestamps(1); return $db }

# ---- Checks ----

sub check {
    my ($sentence, $body) = @_;
    local $SIG{ALRM} = sub { die "not done in 60 s\n" };
    alarm 60;
    my $passed = eval { $body->(); 1 };
    my $why = $@;
    alarm 0;
    print $passed ? "ok - $sentence\n" : "not ok - $sentence\n    $why\n";
    $failed++ unless $passed;
}

sub same {
    my ($got, $wanted, $what) = @_;
    $got = '(nothing)' unless defined $got;
    die "$what: " . substr($got, 0, 2000) . "\n    wanted: " . substr($wanted, 0, 2000) . "\n"
        unless $got eq $wanted;
}

sub contents_of {
    my ($file) = @_;
    open(my $in, '<:raw', $file) or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# Class => names, from the headers of the dump.
sub names_in {
    my ($text) = @_;
    $text =~ s/^\*\*\*LongTextEnd\*\*\*\n//mg;
    my %names;
    while ($text =~ /\n\n([A-Z]\w*) : "((?:[^"\\]|\\.)*)"/gs) {
        my ($class, $name) = ($1, $2);
        $name =~ s/\\(.)/$1/gs;
        push @{$names{$class}}, $name;
    }
    return \%names;
}

# AcePerl 1.92 loses the last character of every stamp.
sub cut { return substr($_[0], 0, -1) }

my $sample = start($dump, '--recorded', "$top/tests/data/formats");
my $names = names_in(contents_of($dump));

check 'AcePerl logs in and reads the version from status' => sub {
    same(stamped($sample)->version, 'WS188', 'version');
};

check 'AcePerl writes a strain in XML and .ace as it did when it asked AceDB' => sub {
    my $strain = stamped($sample)->fetch(-class => 'Strain', -name => 'CB205', -fill => 1);
    my $recorded = contents_of("$top/tests/data/formats/Strain.CB205.aceperl-asxml-asace.txt");
    my ($xml, $ace, $table, $string) = split /^-----?-?(?:ACE|TABLE|STRING)\n/m, $recorded;
    same($strain->asXML, $xml, 'asXML');
    same($strain->asAce, $ace, 'asAce');
    s/\s+\z// for $table, $string;    # recorded in part
    same(substr($strain->asTable, 0, length $table), $table, 'asTable');
    same(substr($strain->asString, 0, length $string), $string, 'asString');
};

check 'AcePerl follows tags from object to object, and their stamps' => sub {
    my $gene = stamped($sample)->fetch(Gene => 'WBGene00006763');
    same($gene->Identity->timestamp, cut('2008-02-01_09:15:20_sylvia'), 'a stamp');
    my $variation = $gene->Allele->fetch;
    same($variation->name, 'e205', 'its allele');
    same(join(' ', map { $_->class . ':' . $_->name } $variation->Gene), 'Gene:WBGene00006763',
         'the gene of the allele');
    same(join(' ', map { $_->name } $gene->Reference), 'WBPaper00000031 WBPaper00004489',
         'its papers');
    same($gene->Reference->timestamp, cut('2005-03-09_16:30:50_lstein'), 'stamp of a paper');
    same(join(' ', map { $_->name } $gene->at('Map_info.Map')->row), 'Map IV Position 7.9231 Error 0.0002',
         'a row with a hash');
};

check 'AcePerl reads models' => sub {
    my $model = stamped($sample)->model('Gene') or die Ace->error;
    same($model->valid_tag('CGC_name') ? 'valid' : 'not', 'valid', 'CGC_name');
    same($model->valid_tag('Nosuch') ? 'valid' : 'not', 'not', 'Nosuch');
};

check 'AcePerl counts and lists every class as the dump has it' => sub {
    my $db = stamped($sample);
    my %known = map { $_ => 1 } $db->classes;
    for my $class (sort keys %$names) {
        die "no class $class\n" unless $known{$class};
        same($db->count($class => '*'), scalar @{$names->{$class}}, "count of $class");
        my @listed = map { $_->name } $db->list($class => '*');
        same(join('|', sort @listed), join('|', sort @{$names->{$class}}), "list of $class");
    }
};

check 'AcePerl fetches a class in slices' => sub {
    my $db = stamped($sample);
    for my $class (qw(Variation Protein Gene)) {
        my $iterator = $db->fetch_many(-class => $class, -name => '*', -filled => 1);
        my @fetched;
        while (my $object = $iterator->next) { push @fetched, $object->name }
        same(join('|', sort @fetched), join('|', sort @{$names->{$class}}), $class);
    }
};

check 'AcePerl reads sequences and long texts' => sub {
    my $db = stamped($sample);
    my $dna = $db->fetch(DNA => 'JC8')->right or die Ace->error;
    same(length $dna->name, 600, 'bases');
    same(substr($db->fetch(Peptide => 'WP:CE28239')->right->name, 0, 9), 'MSVRGLRIW', 'a peptide');
    same($db->fetch(LongText => 'WBPaper00004489')->right->name,
         "\nA shorter abstract.\nSecond line.\n", 'a long text');
};

check 'AcePerl hears in AQL what AceDB answered' => sub {
    my $question = 'aql select a, a.update_session from a in class Strain';
    my ($recorded) = contents_of("$top/tests/data/wire/aql_session_replies.txt")
        =~ /^## \Q$question\E -> \S+ \d+\n(.*?\n)\n/ms or die "not recorded\n";
    $recorded =~ s/\/\/ \d+ Active/\/\/ 0 Active/;    # more was active when it was recorded
    my $reply = stamped($sample)->raw_query($question);
    same($reply =~ s/\0\z//r, $recorded, 'the reply');
};

check 'AcePerl gets nothing for an unknown object and for an unknown class' => sub {
    my $db = stamped($sample);
    for my $asked (['Gene', 'nosuch'], ['Nosuch', 'y']) {
        die "an object of @$asked\n" if defined $db->fetch(@$asked);
    }
};

check 'AcePerl is refused with a wrong password, and an unknown user' => sub {
    for my $wrong ([-pass => 'wrong'], [-user => 'nobody']) {
        die "let in with @$wrong\n" if connect_to($sample, @$wrong);
        same(Ace->error, 'server: // Sorry, userid/password incorrect, '
             . 'your connection has been terminated.', 'the words');
    }
};

check 'AcePerl comes in as an unknown user where the world may read' => sub {
    my $world = start($dump, '--world', '--name', 'WS900');
    my $db = connect_to($world, -user => 'nobody', -pass => 'any') or die Ace->error;
    same($db->version, 'WS900', 'version');
    die "let in with a wrong password\n" if connect_to($world, -pass => 'wrong');
};

check 'AcePerl reads an object of 1.2 MB, which comes in one message' => sub {
    my $stamp = '-O "2008-03-15_08:05:09_caltech_juancarlos"';
    my $file = "$scratch/large.ace";
    open(my $out, '>', $file) or die $!;
    print $out "\n\n // Class Gene \n\nGene : \"large\" $stamp\n";
    print $out "Remark\t $stamp \"remark number $_\" $stamp\n" for 1 .. 11000;
    print $out "\nGene : \"small\" $stamp\nRemark\t $stamp \"the only one\" $stamp\n\n";
    print $out " // End of this dump file \n\n";
    close $out;
    die "it is too small\n" if (-s $file) < 1_200_000;
    my $db = stamped(start($file, '--models', "$top/examples/builds/WS188/models.wrm"));
    my @remarks = $db->fetch(-class => 'Gene', -name => 'large', -fill => 1)->Remark;
    same(scalar @remarks, 11000, 'remarks');
    same($remarks[10999]->name, 'remark number 11000', 'the last one');
    same(scalar(my @both = $db->fetch(-class => 'Gene', -name => '*', -fill => 1)), 2, 'genes');
};

# At once: objects of AcePerl that end behind exit() would change the status.
end_servers();
remove_tree($scratch);
STDOUT->flush;
POSIX::_exit($failed ? 1 : 0);
