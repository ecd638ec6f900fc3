# judge.pl SERVER TOP -- AcePerl, WormBase's own client, talks to the AceDB of these
# tests (ace-server): it logs in, asks what Varve asks, and gets what AceDB answered.
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

# Replies to commands of one session.
sub replies {
    my ($to, @commands) = @_;
    my $db = connect_to($to) or die Ace->error;
    return map { $db->raw_query($_) =~ s/\0\z//r } @commands;
}

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

my $sample = start($dump, '--models', "$top/examples/builds/WS188/models.wrm");
my $names = names_in(contents_of($dump));

check 'AcePerl logs in and reads the version from status' => sub {
    my $db = connect_to($sample) or die Ace->error;
    same($db->version, 'WS188', 'version');
};

check 'AcePerl gets objects, long texts and sequences as it did from AceDB' => sub {
    for my $object (qw(Gene.WBGene00006763 Strain.CB205 DNA.JC8 LongText.WBPaper00004489 KeySet.curated_list)) {
        my ($class, $name) = split /\./, $object;
        my ($found, $shown) = replies($sample, "find $class $name", 'show -a -T');
        same($found, "\n// Found 1 objects in this class\n// 1 Active Objects\n", $object);
        same($shown, contents_of("$top/tests/data/formats/$object.aT")
             . "// 1 object dumped\n// 1 Active Objects\n", $object);
    }
};

check 'AcePerl reads models' => sub {
    my ($model) = replies($sample, 'model Gene');
    die "no model: $model\n" unless $model =~ /^\?Gene .*\bCGC_name\b/s;
};

check 'AcePerl counts and lists every class as the dump has it, in slices' => sub {
    my ($known) = replies($sample, 'classes');
    for my $class (sort keys %$names) {
        my $count = @{$names->{$class}};
        die "not $count of $class\n" unless $known =~ /^ *$class $count$/m;
        my ($found, $list, $shown) = replies($sample, "find $class", 'list -a', 'show -a -T');
        same($found, "\n// Found $count objects in this class\n// $count Active Objects\n", $class);
        my @listed = map { s/\\(.)/$1/gr } $list =~ /^$class : "((?:[^"\\]|\\.)*)"$/mg;
        same(join('|', sort @listed), join('|', sort @{$names->{$class}}), "list of $class");
        my $dumped = $count == 1 ? "object dumped" : "objects dumped";
        die "not all of $class\n" unless $shown =~ m{^// $count $dumped\n// $count Active}m;
    }
};

check 'AcePerl gets nothing for an unknown object and for an unknown class' => sub {
    same($_, "\n// Found 0 objects in this class\n// 0 Active Objects\n", 'nothing')
        for replies($sample, 'find Gene nosuch', 'find Nosuch y');
};

check 'AcePerl is refused with a wrong password, and an unknown user' => sub {
    for my $wrong ([-pass => 'wrong'], [-user => 'nobody']) {
        die "let in with @$wrong\n" if connect_to($sample, @$wrong);
        same(Ace->error, 'server: // Sorry, userid/password incorrect, '
             . 'your connection has been terminated.', 'the words');
    }
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
    my ($found, $shown) = replies(start($file), 'find Gene', 'show -a -T');
    my @remarks = $shown =~ /"remark number (\d+)"/g;
    same(scalar @remarks, 11000, 'remarks');
    same($remarks[10999], '11000', 'the last one');
    die "no second gene\n" unless $shown =~ m{"the only one".*\n\n// 2 objects dumped\n};
};

# At once: objects of AcePerl that end behind exit() would change the status.
end_servers();
remove_tree($scratch);
STDOUT->flush;
POSIX::_exit($failed ? 1 : 0);
